import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { followLog } from '../../src/logs/follow-log.ts'
import { createLogRing, type LogRing } from '../../src/logs/log-ring.ts'

const push = (ring: LogRing, ...lines: string[]): void => {
  for (const line of lines) ring.push(Buffer.from(line))
}

/** Until everything that was to be told is. */
const settled = async (): Promise<void> => {
  for (let count = 0; count < 50; count += 1) await turn()
}

t.test('the last lines first, then each that comes, whole', async (t) => {
  const ring = createLogRing(1_000)
  push(ring, 'one', 'two', 'three\r')
  const texts: string[] = []
  const following = followLog(ring, { tail: 2, onText: (text) => texts.push(text) })
  t.same(texts, [], 'nothing before it returned')
  await settled()
  push(ring, 'four')
  push(ring, '')
  await settled()
  t.equal(texts.join(''), 'two\nthree\nfour\n\n')
  following.stop()
  push(ring, 'five')
  await settled()
  t.equal(texts.join(''), 'two\nthree\nfour\n\n')
})

t.test('none of what was there', async (t) => {
  const ring = createLogRing(1_000)
  push(ring, 'old')
  let all = ''
  const following = followLog(ring, { tail: 0, onText: (text) => (all += text) })
  push(ring, 'new')
  await settled()
  t.equal(all, 'new\n')
  following.stop()
})

t.test('a reader that pauses for too long is told how many lines it missed, and each is told or counted', async (t) => {
  const ring = createLogRing(200)
  let all = ''
  const following = followLog(ring, { tail: 9, onText: (text) => (all += text) })
  push(ring, 'line 0')
  await settled()
  following.pause()
  for (let number = 1; number < 1_000; number += 1) push(ring, `line ${number}`)
  await settled()
  t.equal(all, 'line 0\n')
  following.resume()
  await settled()
  const [first, marker = '', ...rest] = all.trimEnd().split('\n')
  t.equal(first, 'line 0')
  const [, lost] = /^--- (\d+) lines lost: read too slowly ---$/.exec(marker) ?? []
  t.equal(Number(lost) + rest.length, 999)
  t.same(
    rest,
    rest.map((_, at) => `line ${1_000 - rest.length + at}`),
  )
  following.stop()
})

t.test('a flood comes in pieces, whoever else waits for the event loop', async (t) => {
  const ring = createLogRing()
  for (let number = 0; number < 20_000; number += 1) push(ring, `line ${number} of a flood`)
  const sizes: number[] = []
  let all = ''
  const following = followLog(ring, {
    tail: Infinity,
    onText: (text) => {
      sizes.push(text.length)
      all += text
    },
  })
  await settled()
  t.ok(Math.max(...sizes) <= 65_536)
  t.equal(all.split('\n').length - 1, 20_000)
  following.stop()
})

t.test('a line longer than a piece comes whole', async (t) => {
  const ring = createLogRing()
  push(ring, 'x'.repeat(100_000), 'y')
  let all = ''
  const following = followLog(ring, { tail: 9, onText: (text) => (all += text) })
  await settled()
  t.equal(all.length, 100_003)
  following.stop()
})
