import t from 'tap'
import type { Clock } from '../../src/router/clock.ts'
import { createPulse } from '../../src/router/pulse.ts'

/** A clock whose timers fire when the test lets them, late or not. */
const lateClock = () => {
  let now = 1_000
  let timer: (() => void) | undefined
  const clock: Clock = {
    now: () => now,
    setTimer: (_at, fire) => {
      timer = fire
      return () => {
        timer = undefined
      }
    },
  }
  return {
    clock,
    pass: (ms: number) => {
      now += ms
    },
    fire: () => timer?.(),
    isArmed: () => timer !== undefined,
  }
}

t.test('a process that stood still is noticed, during it and for ten beats', async (t) => {
  const { clock, pass, fire } = lateClock()
  const pulse = createPulse(clock)
  t.equal(pulse.lateMs(), 0)
  pulse.start()
  pass(1_000)
  t.equal(pulse.lateMs(), 0)
  pass(7_000)
  t.equal(pulse.lateMs(), 7_000)
  fire()
  for (let beat = 1; beat < 10; beat++) {
    pass(1_000)
    fire()
    t.equal(pulse.lateMs(), 7_000, `beat ${beat}`)
  }
  pass(1_000)
  fire()
  t.equal(pulse.lateMs(), 0)
})

t.test('it starts once, and leaves no timer', async (t) => {
  const { clock, pass, isArmed } = lateClock()
  const pulse = createPulse(clock)
  pulse.start()
  pass(500)
  pulse.start()
  pass(600)
  t.equal(pulse.lateMs(), 100)
  pulse.stop()
  t.notOk(isArmed())
  t.equal(pulse.lateMs(), 0)
})
