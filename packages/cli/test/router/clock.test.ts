import t from 'tap'
import { systemClock } from '../../src/router/clock.ts'

t.test('a timer fires when its time has come, never before and never at once', async (t) => {
  const clock = systemClock()
  for (const afterMs of [-5, 0, 0.4, 3, 15.7]) {
    const at = clock.now() + afterMs
    let isSet = false
    const firedAt = await new Promise<number>((resolve) => {
      clock.setTimer(at, () => resolve(isSet ? clock.now() : Number.NaN))
      isSet = true
    })
    t.ok(firedAt >= at, `${afterMs} ms`)
  }
})

t.test('a timer for a far day does not fire now, and one that is taken back never does', async (t) => {
  const clock = systemClock()
  let fired = 0
  const count = (): void => {
    fired += 1
  }
  const cancels = [clock.setTimer(clock.now() + 1e12, count), clock.setTimer(clock.now() + 1, count)]
  cancels[1]?.()
  await new Promise<void>((resolve) => void clock.setTimer(clock.now() + 10, resolve))
  t.equal(fired, 0)
  cancels[0]?.()
})
