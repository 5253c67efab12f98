import t from 'tap'
import { createScheduler, failureOf, SCHEDULER_NAMES } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

/** Why it can not be made; undefined: it can. */
const failure = (use: string) => {
  try {
    createScheduler({ ...rigOptions({ models: [] }), policy: { use, fairAfterMs: 1 } as never })
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

t.test('a scheduler that does not exist is an error that lists the valid ones', (t) => {
  t.match(failure('lottery'), {
    code: 'invalid_config',
    message: /"lottery"/,
    hint: `use one of: ${SCHEDULER_NAMES.join(', ')}`,
  })
  t.match(failure('toString'), { code: 'invalid_config' })
  t.equal(failure('fifo'), undefined)
  t.ok(SCHEDULER_NAMES.includes('fifo'))
  t.end()
})

t.test('an unknown model is refused', (t) => {
  t.same(new Rig({ models: [model('A')] }).ask('Z'), ['reject 1 model_not_found'])
  t.end()
})

t.test('a shutdown rejects all waiters, and all that still come', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  t.same(rig.shutdown(), ['reject 2 shutting_down', 'reject 3 shutting_down'])
  t.same(rig.ask('A'), ['reject 4 shutting_down'])
  t.same(rig.served(1), [], 'what was granted goes on to its end')
  t.end()
})

t.test('a shutdown rejects the waiters of a load', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  t.same(rig.shutdown(), ['reject 1 shutting_down'])
  t.same(rig.ready(1), [])
  t.end()
})

t.test('a model that leaves the configuration drains and stops, and its waiters are rejected', (t) => {
  const models = [model('A'), model('B')]
  const rig = new Rig({ models, limits: { drainTimeoutMs: 7_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  const [, left] = models
  t.ok(left)
  if (left === undefined) return t.end()
  t.same(rig.reload({ models: [left], limits: { drainTimeoutMs: 7_000 } }), [
    'reject 2 model_not_found',
    'stop 1 A removed',
  ])
  t.match(rig.commands.at(-1), { drainMs: 7_000 })
  t.same(rig.ask('A'), ['reject 4 model_not_found'])
  t.same(rig.served(1), ['swap 2 B -A'])
  return t.end()
})

t.test('a model that is not allowed on its host any more stops there', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.reload({ models: [model('A', { hosts: [] })] }), ['stop 1 A removed'])
  t.end()
})

t.test('a load of a model that leaves the configuration is given up', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  t.same(rig.reload({ models: [] }), ['reject 1 model_not_found', 'abort 1', 'stop 2 A removed'])
  t.end()
})

t.test('a removed model that a swap was to evict and did not is stopped then', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('B')
  t.same(rig.reload({ models: [model('B')] }), [])
  t.same(rig.failed(1, { evictions: [{ model: model('A').id, outcome: 'kept' }] }), [
    'reject 1 start_failed',
    'stop 2 A removed',
  ])
  t.end()
})

t.test('what is new in the configuration is served at once', (t) => {
  const rig = new Rig({ models: [] })
  rig.ask('A')
  rig.reload({ models: [model('A')] })
  t.same(rig.ask('A'), ['swap 1 A'])
  t.end()
})

t.test('a configuration that waits for nothing new changes nothing', (t) => {
  const models = [model('A'), model('B')]
  const rig = new Rig({ models })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.reload({ models }), [])
  t.equal(rig.cause(2), 'draining')
  t.end()
})

t.test('time never runs backwards in a scheduler, though its events may tell it late', (t) => {
  const rig = new Rig({ models: [model('A', { idleMs: 1_000 })] })
  rig.now = 5_000
  rig.hostUp('local', [{ model: 'A' }])
  rig.now = 1_000
  rig.ask('A')
  rig.served(1)
  t.equal(rig.scheduler.nextTick(), 6_000)
  t.end()
})
