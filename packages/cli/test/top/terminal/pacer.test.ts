import t from 'tap'
import { createPacer } from '../../../src/top/terminal/pacer.ts'
import { createVirtualClock } from '../../router/support/virtual-clock.ts'

const SECOND = 1_000

const leastGap = (times: readonly number[]): number =>
  Math.min(...times.slice(1).map((time, at) => time - (times[at] ?? 0)))

t.test('news are drawn at most twice a second, and the latest is never left out', async (t) => {
  const clock = createVirtualClock()
  const drawn: number[] = []
  const pacer = createPacer(clock, () => {
    drawn.push(clock.now())
    return Infinity
  })
  for (let at = 0; at < 100; at += 1) {
    pacer.news()
    await clock.advance(100)
  }
  pacer.stop()
  t.ok(leastGap(drawn) >= 500, `${leastGap(drawn)} ms apart`)
  t.ok(drawn.length >= 18)
})

t.test('while keys are pressed at most ten frames a second, the first at once', async (t) => {
  const clock = createVirtualClock()
  const drawn: number[] = []
  const pacer = createPacer(clock, () => {
    drawn.push(clock.now())
    return Infinity
  })
  const start = clock.now()
  for (let at = 0; at < 100; at += 1) {
    pacer.key()
    await clock.advance(10)
  }
  pacer.stop()
  t.equal(drawn[0], start)
  t.ok(leastGap(drawn) >= 100, `${leastGap(drawn)} ms apart`)
  t.ok(drawn.length >= 10, `${drawn.length} in a second`)
})

t.test('a key is answered soon though news were drawn just before', async (t) => {
  const clock = createVirtualClock()
  const drawn: number[] = []
  const pacer = createPacer(clock, () => {
    drawn.push(clock.now())
    return Infinity
  })
  pacer.news()
  await clock.advance(10)
  pacer.news()
  pacer.key()
  await clock.advance(100)
  pacer.stop()
  t.equal(drawn.length, 2)
})

t.test('time that is shown passes by itself, and nothing is drawn after the stop', async (t) => {
  const clock = createVirtualClock()
  let count = 0
  const pacer = createPacer(clock, () => {
    count += 1
    return SECOND
  })
  pacer.news()
  await clock.advance(5 * SECOND)
  t.equal(count, 6)
  pacer.stop()
  await clock.advance(5 * SECOND)
  t.equal(count, 6)
  t.equal(clock.pending(), 0)
})
