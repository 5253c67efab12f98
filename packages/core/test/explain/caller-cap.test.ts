import t from 'tap'
import { callerId, DEFAULT_SERIAL, requestId, spansOf } from '../../src/index.ts'
import { model, Rig } from '../schedule/rig.ts'

t.test('a request that waits for its own caller says so, comes last, and loses no time', (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 })], policy: DEFAULT_SERIAL })
  rig.hostUp('local', [{ model: 'A' }])
  const own = { caller: callerId('own'), callerLimit: 1 }
  rig.ask('A', own)
  rig.ask('A', own)
  rig.ask('A')
  rig.ask('A')
  rig.pass(1_000)
  const queue = rig.scheduler.queue(rig.now)
  t.same(
    queue.map(({ request, position }) => [request, position]),
    [
      [4, 1],
      [2, 2],
    ],
  )
  t.match(queue[1], { cause: { type: 'caller-cap', limit: 1 }, sentence: /^its caller has 1 request/ })
  rig.served(1)
  rig.served(3)
  rig.pass(500)
  const timeline = rig.scheduler.timelineOf(requestId(2))
  const spans = timeline === undefined ? [] : spansOf(timeline, rig.now)
  t.equal(spans[0]?.type, 'waiting')
  t.notOk(spans.some(({ type }) => type === 'queued'))
  t.equal(
    spans.reduce((sum, { ms }) => sum + ms, 0),
    1_500,
  )
  t.end()
})
