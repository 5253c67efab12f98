import t from 'tap'
import { hostId, LOCAL_HOST, memory, modelId, restoreScheduler, type MemoryNeed } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const nothing = memory({ sizeOf: () => undefined, budgetOf: () => new Map() })
const options = { models: [model('A'), model('B'), model('C')], swapper: nothing }

const told = (sizes: Readonly<Record<string, number>>, room = 100) => ({
  room: { gpu0: room },
  others: {},
  sizes: Object.entries(sizes).map(([id, bytes]): MemoryNeed => ({
    model: id,
    bytes: { gpu0: bytes },
    source: 'measured',
  })),
})

const tell = (rig: Rig, report: ReturnType<typeof told>, host = 'local'): string[] =>
  rig.take(
    rig.scheduler.onFleetChange({
      type: 'fleet-changed',
      now: rig.now,
      observation: { type: 'memory-seen', host: hostId(host), memory: report },
    }),
  )

t.test('what was measured lets models stay beside each other', async (t) => {
  const rig = new Rig(options)
  t.same(rig.ask('A'), ['swap 1 A'])
  rig.ready(1)
  rig.served(1)
  t.same(rig.ask('B'), ['swap 2 B -A'], 'of unknown size it gets the host to itself')
  rig.ready(2)
  rig.served(2)
  tell(rig, told({ A: 40, B: 40, C: 40 }))
  t.same(rig.ask('A'), ['swap 3 A'])
  rig.ready(3)
  rig.served(3)
  t.same(rig.ask('C'), ['swap 4 C -A'])
})

t.test('a request that waits is looked at again when there is more room', async (t) => {
  const rig = new Rig(options)
  tell(rig, told({ A: 40, B: 40 }, 60))
  rig.ask('A')
  rig.ready(1)
  t.same(rig.ask('B'), [])
  t.match(rig.scheduler.queue(rig.now)[0]?.sentence, /^draining A, as it needs 40|^draining .*as it needs /)
  t.same(tell(rig, told({ A: 40, B: 40 }, 100)), ['swap 2 B'])
})

t.test('each host has a memory of its own', async (t) => {
  const [left, right] = [hostId('left'), hostId('right')]
  const rig = new Rig({ ...options, models: [model('A', { hosts: [left, right] })], hosts: [left, right] })
  tell(rig, told({ A: 40 }, 10), 'left')
  tell(rig, told({ A: 40 }, 60), 'right')
  t.same(rig.ask('A'), ['swap 1 A@right'])
})

t.test('it is part of a snapshot, and people see which size counts', async (t) => {
  const rig = new Rig(options)
  tell(rig, told({ A: 40, B: 40 }))
  rig.ask('A')
  const saved: unknown = JSON.parse(JSON.stringify(rig.scheduler.snapshot()))
  const again = restoreScheduler(rigOptions(options), saved)
  t.same(again.snapshot(), rig.scheduler.snapshot())
  for (const scheduler of [rig.scheduler, again]) {
    const [placement] = scheduler.view(rig.now).models.get(modelId('A'))?.placements ?? []
    t.match(placement, { placement: { host: LOCAL_HOST }, size: { source: 'measured' } })
  }
})
