import t from 'tap'
import { model, Rig } from './rig.ts'

const abc = (): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

t.test('a timeline tells where the time went: drain, load, and the grant', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.pass(100)
  rig.ask('B')
  rig.pass(200)
  rig.served(1)
  rig.pass(300)
  rig.ready(1)
  t.same(rig.timeline(2), [
    '100 received',
    '100 queued',
    '100 blocked:draining',
    '300 swap-started',
    '300 blocked:loading',
    '600 swap-ended:ready',
    '600 granted',
  ])
  t.end()
})

t.test('causes add up to the wall time: each holds until the next, from the first moment to now', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.pass(500)
  t.same(rig.timeline(2), ['0 received', '0 queued', '0 blocked:draining'])
  rig.served(1)
  rig.ask('C')
  rig.pass(500)
  rig.ready(1)
  rig.pass(500)
  const causes = rig.timeline(3)?.filter((step) => step.includes('blocked'))
  t.same(causes, ['500 blocked:swap-running', '1000 blocked:draining'])
  t.end()
})

t.test('one who arrives while others of its model wait has their cause from its own arrival', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.pass(500)
  rig.ask('B')
  t.same(rig.timeline(3), ['500 received', '500 queued', '500 blocked:draining'])
  t.end()
})

t.test('a granted request is not blocked by what its neighbours wait for', (t) => {
  const rig = abc()
  rig.ask('B')
  rig.ask('B')
  rig.pass(100)
  rig.ready(1)
  t.equal(rig.cause(2), 'slots-full')
  t.same(rig.timeline(1), [
    '0 received',
    '0 queued',
    '0 blocked:loading',
    '0 swap-started',
    '100 swap-ended:ready',
    '100 granted',
  ])
  t.same(rig.timeline(2)?.slice(-2), ['100 swap-ended:ready', '100 blocked:slots-full'])
  t.end()
})

t.test('a request that is granted at once has no cause', (t) => {
  const rig = abc()
  rig.ask('A')
  t.same(rig.timeline(1), ['0 received', '0 queued', '0 granted'])
  rig.ask('A')
  rig.pass(10)
  t.equal(rig.timeline(1)?.length, 3)
  t.end()
})

t.test('an attempt that failed is part of the timeline', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.pass(100)
  rig.crashed('A')
  rig.served(1, 'retry')
  rig.pass(1_000)
  t.same(rig.timeline(1), [
    '0 received',
    '0 queued',
    '0 granted',
    '100 requeued',
    '100 blocked:cooldown',
    '1100 swap-started',
    '1100 blocked:loading',
  ])
  t.end()
})

t.test('a rejected request can be explained until the next event', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.pass(60_000)
  rig.unload(['B'])
  t.same(rig.timeline(2), ['0 received', '0 queued', '0 blocked:draining', '60000 rejected'])
  rig.ask('C')
  t.equal(rig.timeline(2), undefined)
  t.end()
})

t.test('who is done is forgotten', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.served(1)
  t.equal(rig.timeline(1), undefined)
  t.end()
})

t.test('queued tells how many of its model were ahead', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  t.match(rig.scheduler.timelineOf(3 as never)?.steps[1], { type: 'queued', ahead: 1 })
  t.end()
})
