import t from 'tap'
import { createLogRing } from '../../src/logs/log-ring.ts'

const push = (ring: ReturnType<typeof createLogRing>, ...lines: string[]): void => {
  for (const line of lines) ring.push(Buffer.from(line))
}

t.test('gives the last lines, oldest first', async (t) => {
  const ring = createLogRing(1_000)
  t.same(ring.tail(5), [])
  push(ring, 'a', 'b', '', 'c')
  t.same(ring.tail(2), ['', 'c'])
  t.same(ring.tail(99), ['a', 'b', '', 'c'])
  t.same(ring.tail(0), [])
})

t.test('forgets the oldest lines and shows no torn one', async (t) => {
  const ring = createLogRing(100)
  for (let number = 0; number < 1_000; number += 1) push(ring, `line ${number}`)
  const kept = ring.tail(1_000)
  t.equal(kept.at(-1), 'line 999')
  t.ok(kept.length >= 9 && kept.length <= 12, `${kept.length} lines`)
  t.same(
    kept,
    kept.map((_, at) => `line ${1_000 - kept.length + at}`),
  )
})

t.test('a text is kept like the bytes of it, also where the circle ends in it', async (t) => {
  const [texts, bytes] = [createLogRing(64), createLogRing(64)]
  let told = 0
  texts.onLine(() => (told += 1))
  for (let number = 0; number < 500; number += 1) {
    const line = `${number} ä€👍`.slice(0, 3 + (number % 6))
    texts.pushText(`${line}\n`)
    bytes.push(Buffer.from(line))
    t.same([texts.tail(9), texts.position()], [bytes.tail(9), bytes.position()])
  }
  t.equal(told, 500)
})

t.test('gives only the lines after a position, also when that has been overwritten', async (t) => {
  const ring = createLogRing(60)
  push(ring, 'old')
  const position = ring.position()
  t.same(ring.tail(9, position), [])
  push(ring, 'new')
  t.same(ring.tail(9, position), ['new'])
  for (let number = 10; number < 99; number += 1) push(ring, `line ${number}`)
  t.equal(ring.tail(99, position).at(-1), 'line 98')
  t.notOk(ring.tail(99, position).includes('new'))
})

t.test('leaves the carriage return of a line away', async (t) => {
  const ring = createLogRing(60)
  push(ring, 'dos\r')
  t.same(ring.tail(1), ['dos'])
})
