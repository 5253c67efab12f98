import t from 'tap'
import { waitForMemory } from '../../src/devices/memory-wait.ts'
import type { MemoryWaitOptions, Need } from '../../src/devices/memory-wait.ts'
import type { DeviceReading } from '../../src/devices/reading.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'

const GIB = 2 ** 30

const device = (name: string, usedGib: number | null): DeviceReading => ({
  name,
  label: null,
  source: 'nvidia',
  totalBytes: 24 * GIB,
  usedBytes: usedGib === null ? null : usedGib * GIB,
  use: null,
  temperatureC: null,
  powerWatts: null,
  sampledAt: 0,
})

/** How long a start with this need waits, where `used` tells the use at each time; looks take no time. */
const waitOf = async (
  need: Need,
  used: (ms: number) => readonly DeviceReading[],
  { signal = new AbortController().signal, before }: Pick<Partial<MemoryWaitOptions>, 'signal' | 'before'> = {},
) => {
  const timers = createFakeTimers()
  const waits: number[] = []
  const read = async (): Promise<readonly DeviceReading[]> => used(timers.now())
  // Time passes as soon as somebody sleeps.
  const clock = {
    now: () => timers.now(),
    after: (ms: number, fire: () => void) => {
      setImmediate(() => timers.advance(ms))
      return timers.after(ms, fire)
    },
  }
  await waitForMemory({ need, before, known: read, look: read, clock, signal, onWait: () => waits.push(timers.now()) })
  return { ms: timers.now(), told: waits.length }
}

t.test('starts as soon as it fits, not when everything is given back', async (t) => {
  t.same(await waitOf(14 * GIB, (ms: number) => [device('gpu0', Math.max(0, 20 - ms / 100))]), { ms: 1_000, told: 1 })
})

t.test('memory that is free already costs no wait and no look', async (t) => {
  const looks: number[] = []
  await waitForMemory({
    need: 20 * GIB,
    before: undefined,
    known: async () => [device('gpu0', 2)],
    look: async () => {
      looks.push(1)
      return []
    },
    clock: createFakeTimers(),
    signal: new AbortController().signal,
    onWait: () => looks.push(2),
  })
  t.same(looks, [])
})

t.test('memory that does not come is not waited for longer than half a second', async (t) => {
  t.same(await waitOf(20 * GIB, () => [device('gpu0', 10)]), { ms: 500, told: 1 })
})

t.test('memory that an engine has not begun to give back is waited for: it comes late and at once', async (t) => {
  const before = [device('gpu0', 20)]
  t.same(await waitOf(20 * GIB, (ms) => [device('gpu0', ms < 3_000 ? 20 : 0)], { before }), { ms: 3_000, told: 1 })
  t.same(await waitOf(20 * GIB, (ms) => [device('gpu0', ms < 3_000 ? 20 : 10)], { before }), { ms: 3_500, told: 1 })
  t.same(await waitOf(20 * GIB, () => [device('gpu0', 20)], { before }), { ms: 10_000, told: 1 }, 'not for ever')
})

t.test('memory that comes slowly is waited for, ten seconds at most', async (t) => {
  t.same(await waitOf(20 * GIB, (ms: number) => [device('gpu0', 24 - ms / 1_000)]), { ms: 10_000, told: 1 })
})

t.test('a stranger that takes memory meanwhile does not keep it from starting', async (t) => {
  // Ours gives back 10, a stranger takes 8: only what is free counts.
  t.same(await waitOf(16 * GIB, (ms: number) => [device('gpu0', ms < 300 ? 20 : ms < 600 ? 10 : 18)]), {
    ms: 1_100,
    told: 1,
  })
})

t.test('each device must have room where the need says which', async (t) => {
  const need = new Map([
    ['gpu0', 4 * GIB],
    ['gpu1', 20 * GIB],
  ])
  t.same(await waitOf(need, (ms: number) => [device('gpu0', 2), device('gpu1', ms < 200 ? 20 : 4)]), {
    ms: 200,
    told: 1,
  })
  t.same(
    await waitOf(24 * GIB, (ms: number) => [device('gpu0', 2), device('gpu1', ms < 200 ? 20 : 4)]),
    { ms: 0, told: 0 },
    'all together there is room',
  )
})

t.test('what nobody can tell is not waited for', async (t) => {
  t.same(await waitOf(GIB, () => []), { ms: 0, told: 0 })
  t.same(await waitOf(GIB, () => [device('gpu0', null)]), { ms: 0, told: 0 })
  t.same(await waitOf(new Map([['npu', GIB]]), () => [device('gpu0', 24)]), { ms: 0, told: 0 })
})

t.test('nobody waits for a start that was given up', async (t) => {
  t.same(await waitOf(20 * GIB, () => [device('gpu0', 10)], { signal: AbortSignal.abort() }), { ms: 0, told: 0 })
})
