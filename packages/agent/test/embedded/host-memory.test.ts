import t from 'tap'
import { createHostMemory } from '../../src/embedded/host-memory.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'
import { breath } from '../client/support/gate.ts'
import { model } from '../process/support/models.ts'

const GIB = 2 ** 30

/** A card of 24 GiB; `calls`: when a look was expected, taken and taken back. */
const rig = (usedGib: number) => {
  const calls: string[] = []
  const state = { usedGib }
  const clock = createFakeTimers()
  const machine = async () => ({
    memory: undefined,
    devices: [
      {
        name: 'gpu0',
        label: null,
        source: 'nvidia',
        totalBytes: 24 * GIB,
        usedBytes: state.usedGib * GIB,
        use: null,
        temperatureC: null,
        powerWatts: null,
        sampledAt: 0,
      },
    ],
  })
  const book = createHostMemory({
    sensors: {
      known: machine,
      look: async () => {
        calls.push('look')
        state.usedGib = 0
        return machine()
      },
      expectLook: () => {
        calls.push('expect')
        return () => void calls.push('take back')
      },
      processes: async () => [],
      settled: Promise.resolve(),
      declare: () => {},
      close: () => {},
    },
    clock,
    peakOf: () => undefined,
  })
  return { book, calls, clock }
}

const needs = (gib: number) => model('m', { memory: gib * GIB })
const { signal } = new AbortController()

t.test('while an engine ends for a model that does not fit, a look at the devices is at hand', async (t) => {
  const { book, calls, clock } = rig(20)
  const watch = book.watch(needs(10), true)
  await breath()
  t.same(calls, [], 'the order to end comes first')
  clock.advance(1)
  await breath()
  t.same(calls, ['expect'])
  book.noteExit()
  await watch.freed(signal, () => {})
  watch.end()
  t.same(calls, ['expect', 'look', 'take back'])
})

t.test('no look is expected where it fits already, where nothing ends, or where nobody waits any more', async (t) => {
  const { book, calls, clock } = rig(4)
  book.watch(needs(10), true)
  const short = rig(20)
  short.book.watch(needs(10), false)
  short.book.watch(model('unknown'), true).end()
  const over = rig(20)
  const watch = over.book.watch(needs(10), true)
  watch.end()
  const late = rig(20)
  const given = late.book.watch(needs(10), true)
  late.clock.advance(1)
  given.end()
  for (const each of [clock, short.clock, over.clock]) each.advance(1)
  await breath()
  t.same([...calls, ...short.calls, ...over.calls, ...late.calls], [])
})
