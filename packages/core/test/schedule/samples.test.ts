import t from 'tap'
import { modelId, requestId, restoreScheduler, type Endpoint, type PickAnswer, type Picker } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { fleetRig, sample } from './fleet-fixtures.ts'
import { model, Rig } from './rig.ts'

/** Takes the first replica, and shows what it was given last. */
const watching = () => {
  const seen: { endpoints: readonly Endpoint[]; now: number | undefined; adapter: string | undefined } = {
    endpoints: [],
    now: undefined,
    adapter: undefined,
  }
  const picker: Picker<PickAnswer> = {
    name: 'watching',
    pick: (request, endpoints, now) => {
      Object.assign(seen, { endpoints, now, adapter: request.adapter })
      return { chosen: endpoints[0] as Endpoint, reason: 'the first' }
    },
  }
  return { seen, picker }
}

const rigWith = (picker: Picker<PickAnswer>): Rig => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 9 })], picker })
  rig.hostUp('local', [{ model: 'A' }])
  rig.pass(100)
  return rig
}

const LOCAL = { id: 'A', host: 'local' }

t.test('the picker sees the last sample, the clock and the adapter', async (t) => {
  const { seen, picker } = watching()
  const rig = rigWith(picker)
  rig.ask('A')
  t.same(seen.endpoints, [{ placement: { model: 'A', host: 'local' }, inFlight: 0, slots: 9 }], 'before any')
  sample(rig, LOCAL, { waiting: 3, kv: 0.5, activeAdapters: ['x'], maxAdapters: 4 })
  rig.pass(50)
  rig.ask('A', { adapter: 'x' })
  t.match(seen, {
    now: 150,
    adapter: 'x',
    endpoints: [{ inFlight: 1, waiting: 3, kv: 0.5, activeAdapters: ['x'], maxAdapters: 4, sampledAt: 100 }],
  })
})

t.test('what llama-server put off is its queue; a clock that is ahead is set back', async (t) => {
  const { seen, picker } = watching()
  const rig = rigWith(picker)
  sample(rig, LOCAL, { deferred: 2, kv: 0, sampledAt: 5_000 })
  rig.ask('A')
  t.match(seen.endpoints, [{ waiting: 2, sampledAt: 100 }])
})

t.test('own requests since the sample are counted until they end, those before it are not', async (t) => {
  const { seen, picker } = watching()
  const rig = rigWith(picker)
  const since = (): number | undefined => seen.endpoints[0]?.dispatchedSince
  rig.ask('A')
  rig.pass(10)
  sample(rig, LOCAL, { waiting: 0, kv: 0 })
  rig.pass(10)
  rig.ask('A')
  t.equal(since(), 0, 'the first is part of the sample')
  rig.ask('A')
  t.equal(since(), 1)
  rig.ask('A', { takesSlot: false })
  rig.ask('A')
  t.equal(since(), 2, 'what takes no slot is in no queue')
  rig.served(1)
  rig.ask('A')
  t.equal(since(), 3, 'the end of the first changes nothing')
  rig.served(2)
  rig.ask('A')
  t.equal(since(), 3, 'four later, one of them ended')
})

t.test('a sample that took its time does not hide what was sent meanwhile', async (t) => {
  const { seen, picker } = watching()
  const rig = rigWith(picker)
  rig.ask('A')
  rig.pass(20)
  rig.ask('A')
  rig.pass(20)
  rig.ask('A')
  sample(rig, LOCAL, { waiting: 1, kv: 0, sampledAt: 120 })
  rig.ask('A')
  t.equal(seen.endpoints[0]?.dispatchedSince, 2, 'the second came in its very millisecond')
  rig.pass(20)
  sample(rig, LOCAL, { waiting: 3, kv: 0 })
  rig.ask('A')
  t.equal(seen.endpoints[0]?.dispatchedSince, 0)
})

t.test('the late end of a request of an earlier process is not counted down from the present one', async (t) => {
  const { seen, picker } = watching()
  const rig = rigWith(picker)
  rig.ask('A')
  rig.hostUp('local', [{ model: 'A' }])
  sample(rig, LOCAL, { waiting: 0, kv: 0 })
  rig.ask('A')
  rig.served(1)
  rig.ask('A')
  t.equal(seen.endpoints[0]?.dispatchedSince, 1)
})

t.test('a sample and its count survive a snapshot', async (t) => {
  const { seen, picker } = watching()
  const rig = rigWith(picker)
  sample(rig, LOCAL, { waiting: 3, kv: 0.5 })
  rig.ask('A')
  const options = rigOptions({ models: [model('A', { concurrencyLimit: 9 })], picker })
  const twin = restoreScheduler(options, JSON.parse(JSON.stringify(rig.scheduler.snapshot())))
  twin.onRequest({
    type: 'request-received',
    now: rig.now,
    request: {
      id: requestId(7),
      model: modelId('A'),
      priority: 0,
      criticality: 'critical',
      caller: 'anonymous' as never,
      takesSlot: true,
      noLoad: false,
    },
  })
  t.match(seen.endpoints, [{ waiting: 3, kv: 0.5, sampledAt: 100, dispatchedSince: 1 }])
})

t.test('a sample for what is not there is ignored', async (t) => {
  const rig = fleetRig()
  t.same(sample(rig, { id: 'A', host: 'h1' }), [])
  t.equal(rig.phase('A', 'h1'), 'stopped')
})
