import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('statistics show all three bands, also when empty', (t) => {
  const rig = new Rig({ models: [model('A')] })
  const empty = { depth: 0, oldestWaitMs: 0, dispatched: 0 }
  t.same(rig.scheduler.stats(0), {
    bands: { urgent: empty, normal: empty, batch: empty },
    agingReorders: 0,
    affinityReorders: 0,
  })
  t.end()
})

t.test('statistics count what waits, how long, and what was dispatched, per band', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A', { priority: 1 })
  rig.ask('A', { priority: 0 })
  rig.pass(50)
  rig.ask('A', { priority: -1 })
  rig.ask('A', { priority: -1 })
  rig.pass(50)
  t.same(rig.scheduler.stats(rig.now).bands, {
    urgent: { depth: 0, oldestWaitMs: 0, dispatched: 1 },
    normal: { depth: 1, oldestWaitMs: 100, dispatched: 0 },
    batch: { depth: 2, oldestWaitMs: 50, dispatched: 0 },
  })
  rig.served(1)
  t.same(rig.scheduler.stats(rig.now).bands.normal, { depth: 0, oldestWaitMs: 0, dispatched: 1 })
  t.end()
})

t.test('the view shows every configured model with its queue and its processes', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  rig.pass(40)
  rig.ready(1)
  const { models } = rig.scheduler.view(rig.now)
  t.same([...models.keys()], ['A', 'B'])
  t.equal(models.get('A')?.waiting, 1)
  t.match(models.get('A')?.placements, [{ phase: 'ready', sinceMs: 40, slots: 1, inFlight: 1, holding: 0, epoch: 1 }])
  t.match(models.get('B'), { waiting: 1, placements: [{ phase: 'stopped', inFlight: 0 }] })
  t.end()
})

t.test('the view keeps the last failure of a process until it is ready again', (t) => {
  const rig = new Rig({ models: [model('A')] })
  const lastFailure = () => rig.scheduler.view(rig.now).models.get('A')?.placements[0]?.lastFailure?.code
  rig.ask('A')
  rig.failed(1)
  t.equal(lastFailure(), 'start_failed')
  rig.pass(1_000)
  rig.ask('A')
  rig.ready(2)
  t.equal(lastFailure(), undefined)
  t.end()
})

t.test('the view tells what a load usually takes, once one was measured', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  const loads = () => [...rig.scheduler.view(rig.now).models.values()].map(({ expectedLoadMs }) => expectedLoadMs)
  t.same(loads(), [undefined, undefined])
  rig.ask('A')
  rig.pass(40)
  rig.ready(1, { loadMs: 40 })
  t.same(loads(), [40, undefined])
  t.end()
})
