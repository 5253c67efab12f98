import t from 'tap'
import { model, Rig } from '../schedule/rig.ts'

const abc = (): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

t.test('the queue is in the order of dispatch, and tells what each one is', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B', { priority: -3 })
  rig.ask('C')
  rig.ask('B', { priority: 7, criticality: 'sheddable' })
  rig.pass(1_500)
  const queue = rig.scheduler.queue(rig.now)
  t.match(queue, [
    { request: 4, model: 'B', position: 1, band: 'urgent', priority: 7, criticality: 'sheddable', waitedMs: 1_500 },
    { request: 3, model: 'C', position: 2, band: 'normal' },
    { request: 2, model: 'B', position: 3, band: 'batch' },
  ])
  for (const { request, position } of queue) t.equal(rig.position(request), position)
  t.same(rig.scheduler.queue(rig.now, 2), queue.slice(0, 2))
  t.same(rig.scheduler.queue(rig.now, 0), [])
  t.end()
})

t.test('one request is explained like in the queue; one that does not wait is not', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.ask('B')
  const [, second] = rig.scheduler.queue(rig.now)
  t.equal(second?.request, 3)
  t.same(rig.scheduler.explain(3 as never, rig.now), second)
  t.equal(rig.scheduler.explain(1 as never, rig.now), undefined)
  t.equal(rig.scheduler.explain(99 as never, rig.now), undefined)
  t.end()
})

t.test('looking changes nothing, not even the time', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.pass(1_000)
  const before = JSON.stringify(rig.scheduler.snapshot())
  rig.scheduler.queue(rig.now + 50_000)
  rig.scheduler.explain(2 as never, rig.now + 50_000)
  t.equal(JSON.stringify(rig.scheduler.snapshot()), before)
  t.end()
})
