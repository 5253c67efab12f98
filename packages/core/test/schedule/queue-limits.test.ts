import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('a full queue of a model refuses, and tells when to come back', (t) => {
  const rig = new Rig({ models: [model('A', { queueLimit: 2 }), model('B')] })
  rig.ask('A')
  rig.ask('A')
  t.same(rig.ask('A'), ['reject 3 queue_full'])
  t.match(rig.failureOf(3), { message: /queue of A is full: 2 /, retryAfterMs: 5_000 })
  t.same(rig.ask('B'), [], 'other models still queue')
  t.end()
})

t.test('the bound over all models refuses', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: { maxQueued: 2 } })
  rig.ask('A')
  rig.ask('B')
  t.same(rig.ask('B'), ['reject 3 queue_full'])
  t.match(rig.failureOf(3), { message: /the queue is full: 2 / })
  rig.cancel(2)
  t.same(rig.ask('B'), [])
  t.end()
})

t.test('slots alone refuse nobody: the rest wait', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  for (let count = 0; count < 100; count += 1) t.same(rig.ask('A'), [])
  t.equal(rig.inFlight('A'), 1)
  t.end()
})

t.test('a request that can be served at once passes a full queue', (t) => {
  const rig = new Rig({ models: [model('A', { queueLimit: 0 })], limits: { maxQueued: 0 } })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.ask('A'), ['grant 1 A'])
  t.same(rig.ask('A'), ['reject 2 queue_full'])
  t.same(rig.ask('A', { takesSlot: false }), ['grant 3 A'])
  t.end()
})

t.test('Retry-After is position × median service time ÷ slots, and the load time where it must load', (t) => {
  const models = [model('A', { concurrencyLimit: 2, queueLimit: 2 }), model('B', { queueLimit: 0 })]
  const rig = new Rig({ models })
  rig.ask('A')
  rig.ready(1, { loadMs: 7_000 })
  rig.pass(3_000)
  rig.served(1)
  for (let count = 0; count < 4; count += 1) rig.ask('A')
  rig.ask('A')
  t.equal(rig.failureOf(6)?.retryAfterMs, (3 * 3_000) / 2)
  rig.unload(['A'], { force: true })
  rig.stopDone(2)
  for (const request of [2, 3]) rig.served(request)
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  t.equal(rig.failureOf(9)?.retryAfterMs, (3 * 3_000) / 2 + 7_000, 'those that were cut were no measure')
  t.end()
})

t.test('the median is over the latest twenty-one', (t) => {
  const rig = new Rig({ models: [model('A', { queueLimit: 0 })] })
  rig.hostUp('local', [{ model: 'A' }])
  const serve = (ms: number): void => {
    const request = rig.upcoming
    rig.ask('A')
    rig.pass(ms)
    rig.served(request)
  }
  for (let count = 0; count < 30; count += 1) serve(100)
  for (let count = 0; count < 10; count += 1) serve(9_000)
  rig.ask('A')
  const still = rig.upcoming
  rig.ask('A')
  t.equal(rig.failureOf(still)?.retryAfterMs, 100)
  rig.pass(9_000)
  rig.served(still - 1)
  rig.ask('A')
  const then = rig.upcoming
  rig.ask('A')
  t.equal(rig.failureOf(then)?.retryAfterMs, 9_000)
  t.end()
})
