import t from 'tap'
import { startIdleCollection } from '../../src/heap/idle-collection.ts'
import { createVirtualClock } from '../router/support/virtual-clock.ts'

const rig = () => {
  const clock = createVirtualClock()
  const activity = { isBusy: false, count: 0 }
  const collected: number[] = []
  const began = clock.now()
  const stop = startIdleCollection({
    clock,
    activity: () => activity,
    collect: () => void collected.push((clock.now() - began) / 1_000),
  })
  return { clock, activity, collected, stop }
}

t.test('half a minute after the start what that left is given back, once', async (t) => {
  const { clock, collected } = rig()
  await clock.advance(29_999)
  t.same(collected, [])
  await clock.advance(3_600_000)
  t.same(collected, [30])
})

t.test('nothing is collected while something is under way, however long', async (t) => {
  const { clock, activity, collected } = rig()
  activity.isBusy = true
  await clock.advance(600_000)
  t.same(collected, [])
  activity.isBusy = false
  await clock.advance(29_000)
  t.same(collected, [])
  await clock.advance(2_000)
  t.same(collected, [630])
})

t.test('what came and went between two looks counts: its memory is given back half a minute later', async (t) => {
  const { clock, activity, collected } = rig()
  await clock.advance(120_000)
  t.same(collected, [30])
  activity.count += 1
  await clock.advance(34_000)
  t.same(collected, [30])
  await clock.advance(600_000)
  t.same(collected, [30, 155], 'and once for each such time')
})

t.test('a request every twenty seconds puts it off', async (t) => {
  const { clock, activity, collected } = rig()
  for (let request = 0; request < 30; request += 1) {
    activity.count += 1
    await clock.advance(20_000)
  }
  t.same(collected, [])
})

t.test('it leaves no timer', async (t) => {
  const { clock, collected, stop } = rig()
  await clock.advance(12_000)
  stop()
  t.equal(clock.pending(), 0)
  await clock.advance(60_000)
  t.same(collected, [])
})
