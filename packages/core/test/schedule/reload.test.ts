import t from 'tap'
import {
  DEFAULT_SERIAL,
  exclusive,
  group,
  hostId,
  modelId,
  restoreScheduler,
  type ModelPolicy,
} from '../../src/index.ts'
import { brief, rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const NEW = { commandHash: 'new', processHash: 'new' }
const apart = group([
  { id: 'g', swap: false, exclusive: false, persistent: false, members: ['A', 'B', 'C'].map(modelId) },
])

t.test('what may drain for ever is ordered in a form that survives JSON', (t) => {
  const rig = new Rig({ models: [model('A')], limits: { drainTimeoutMs: 'never' } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.reload({ models: [], limits: { drainTimeoutMs: 'never' } })
  const stop = rig.commands.at(-1)
  t.match(stop, { type: 'stop', drainMs: 'never', reason: 'removed' })
  t.same(JSON.parse(JSON.stringify(stop)), stop)
  t.end()
})

t.test('a changed model drains and stops, and its waiters wait for the new one', (t) => {
  const rig = new Rig({ models: [model('A')], limits: { drainTimeoutMs: 7_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  t.same(rig.reload({ models: [model('A', NEW)], limits: { drainTimeoutMs: 7_000 } }), ['stop 1 A changed'])
  t.match(rig.commands.at(-1), { drainMs: 7_000 })
  t.equal(rig.cause(2), 'stopping')
  t.same(rig.ask('A'), [], 'who comes now waits too')
  t.same(rig.served(1), [], 'the process is told to go: nobody else gets it')
  t.same(rig.stopDone(1), ['swap 2 A'])
  t.same(rig.ready(2), ['grant 2 A'])
  t.same(rig.served(2), ['grant 3 A'])
  t.end()
})

t.test('a changed model that nobody wants starts with its next request', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.reload({ models: [model('A', NEW)] }), ['stop 1 A changed'])
  t.same(rig.stopDone(1), [])
  t.same(rig.ask('A'), ['swap 2 A'])
  t.end()
})

t.test('a model that did not change keeps its process while another does', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], swapper: apart })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.reload({ models: [model('A'), model('B', NEW)], swapper: apart }), ['stop 1 B changed'])
  t.same(rig.served(1), [])
  t.same(rig.ask('A'), ['grant 3 A'])
  t.end()
})

t.test('a load of what changed is given up and begun anew, by what its start depends on', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  t.same(rig.reload({ models: [model('A', { commandHash: 'new' })] }), ['abort 1', 'stop 2 A changed'])
  t.same(rig.aborted(1), [])
  t.same(rig.stopDone(2), ['swap 3 A'])
  t.same(rig.reload({ models: [model('A', { commandHash: 'new' })] }), [], 'it is that now')
  t.same(rig.ready(3), ['grant 1 A'])
  t.end()
})

t.test('a load that is ready before it could be given up serves nobody: it is the old one', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.reload({ models: [model('A', NEW)] })
  t.same(rig.ready(1), [])
  t.same(rig.stopDone(2), ['swap 3 A'])
  t.end()
})

t.test('a start of the old definition that fails says nothing about the new one', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.reload({ models: [model('A', NEW)] })
  t.same(rig.failed(1), [], 'whoever waits, waits for the new one')
  t.same(rig.stopDone(2), ['swap 3 A'], 'which is in no cooldown')
  t.end()
})

t.test('a process that is ready goes on when only its start would be another, and its crash counts as ever', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  t.same(rig.reload({ models: [model('A', { commandHash: 'new' })] }), [])
  t.same(rig.crashed('A'), [])
  t.same(rig.ask('A'), ['reject 2 upstream_died'])
  t.end()
})

t.test('an old process that crashes while it drains puts the new one in no cooldown', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.reload({ models: [model('A', NEW)] })
  rig.crashed('A')
  t.same(rig.ask('A'), [])
  t.same(rig.stopDone(1), ['swap 2 A'])
  t.end()
})

t.test('a changed model that a swap was to evict and did not is stopped then', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('B')
  t.same(rig.reload({ models: [model('A', NEW), model('B')] }), [])
  t.same(rig.failed(1, { evictions: [{ model: modelId('A'), outcome: 'kept' }] }), [
    'reject 1 start_failed',
    'stop 2 A changed',
  ])
  t.end()
})

t.test('a model that changes twice while it drains is stopped once', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  t.same(rig.reload({ models: [model('A', NEW)] }), ['stop 1 A changed'])
  t.same(rig.reload({ models: [model('A', { commandHash: 'newer', processHash: 'newer' })] }), [])
  t.same(rig.reload({ models: [] }), [])
  t.same(rig.reload({ models: [model('A')] }), [])
  rig.ask('A')
  t.same(rig.stopDone(1), ['swap 2 A'])
  t.end()
})

t.test("an agent's own definition is none of ours: what is different here stops nothing there", (t) => {
  const there = { hosts: [hostId('local'), hostId('gpu')], definedAt: [hostId('gpu')] }
  const rig = new Rig({ models: [model('A', there)] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.hostUp('gpu', [{ model: 'A' }])
  t.same(rig.reload({ models: [model('A', { ...there, ...NEW })] }), ['stop 1 A changed'])
  t.match(rig.commands.at(-1), { placements: [{ host: 'local' }] })
  t.end()
})

t.test("a load by an agent's own definition goes on, and its failure counts", (t) => {
  const there = { hosts: [hostId('gpu')], definedAt: [hostId('gpu')] }
  const rig = new Rig({ models: [model('A', there)] })
  rig.hostUp('gpu', [])
  t.same(rig.ask('A'), ['swap 1 A@gpu'])
  t.same(rig.reload({ models: [model('A', { ...there, ...NEW })] }), [])
  t.same(rig.failed(1), ['reject 1 start_failed'])
  t.end()
})

t.test('a process that an agent started is the one that was found, and its crash starts a cooldown', (t) => {
  const there = { hosts: [hostId('gpu')], definedAt: [hostId('gpu')] }
  const rig = new Rig({ models: [model('A', there)] })
  rig.hostUp('gpu', [{ model: 'A' }])
  t.same(rig.reload({ models: [model('A', { ...there, ...NEW })] }), [])
  t.same(rig.ask('A'), ['grant 1 A@gpu'])
  t.same(rig.crashed('A', { host: 'gpu' }), [])
  t.same(rig.ask('A'), ['reject 2 upstream_died'])
  t.end()
})

t.test('more slots let waiters in at once, fewer cut nobody', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  for (let count = 0; count < 4; count += 1) rig.ask('A')
  t.same(rig.reload({ models: [model('A', { concurrencyLimit: 3 })] }), ['grant 2 A', 'grant 3 A'])
  t.same(rig.reload({ models: [model('A')] }), [])
  t.same(rig.served(1), [], 'two are left of one')
  t.same(rig.served(2), [])
  t.same(rig.served(3), ['grant 4 A'])
  t.end()
})

t.test('without a limit of its own a model has the slots that its engine told', (t) => {
  const { concurrencyLimit: _, ...unlimited } = model('A')
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ready(1, { slots: 2 })
  rig.ask('A')
  rig.ask('A')
  t.same(rig.reload({ models: [unlimited] }), ['grant 2 A'])
  t.end()
})

t.test('a shorter ttl counts from when the model was last used, a longer one too', (t) => {
  const rig = new Rig({ models: [model('A', { idleMs: 60_000 })] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.pass(10_000), [])
  rig.reload({ models: [model('A', { idleMs: 30_000 })] })
  t.equal(rig.scheduler.nextTick(), 30_000)
  rig.reload({ models: [model('A')] })
  t.equal(rig.scheduler.nextTick(), undefined)
  rig.reload({ models: [model('A', { idleMs: 5_000 })] })
  t.same(rig.pass(0), ['stop 1 A idle'])
  t.end()
})

t.test('the scheduler changes from fifo to serial and back, and whoever waits has a place in the new order', (t) => {
  const serial = DEFAULT_SERIAL
  const models = [model('A', { priority: 5 }), model('B'), model('C')]
  const rig = new Rig({ models })
  rig.hostUp('local', [{ model: 'C' }])
  rig.ask('C')
  rig.ask('A')
  rig.ask('B', { priority: 10 })
  t.same([rig.position(2), rig.position(3)], [1, 2], 'under fifo models have priorities')
  t.same(rig.reload({ models, policy: serial }), [])
  t.same([rig.position(2), rig.position(3)], [2, 1], 'under serial requests have')
  t.same(rig.reload({ models }), [])
  t.same([rig.position(2), rig.position(3)], [1, 2])
  t.same(rig.served(1), ['swap 1 A -C'])
  t.end()
})

t.test('what may run together changes without a stop, and counts from the next swap on', (t) => {
  const models = [model('A'), model('B'), model('C')]
  const rig = new Rig({ models, swapper: apart })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.ask('A')
  t.same(rig.reload({ models, swapper: exclusive }), [])
  t.same(rig.ask('B'), ['grant 2 B'], 'both go on side by side')
  t.same(rig.served(1), [])
  t.same(rig.served(2), [])
  t.same(rig.ask('C'), ['swap 1 C -A -B'])
  rig.reload({ models, swapper: apart })
  rig.ready(1)
  t.same(rig.ask('A'), ['swap 2 A'])
  t.end()
})

t.test('lower limits hold for those who come, and for how long those who are here may wait', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  t.same(rig.reload({ models: [model('A', { queueLimit: 1 })], limits: { queueTimeoutMs: 1_000 } }), [])
  t.same(rig.ask('A'), ['reject 4 queue_full'])
  t.same(rig.pass(1_000), ['reject 2 wait_exceeded', 'reject 3 wait_exceeded'])
  t.end()
})

t.test('what left the configuration is shown until it is gone', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], swapper: apart })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.reload({ models: [model('B')], swapper: apart })
  const shown = () => [...rig.scheduler.view(rig.now).models].map(([id, { placements }]) => [id, placements[0]?.phase])
  t.same(shown(), [
    ['B', 'stopped'],
    ['A', 'stopping'],
  ])
  rig.served(1)
  rig.stopDone(1)
  t.same(shown(), [['B', 'stopped']])
  t.end()
})

t.test('a scheduler that goes on from a snapshot knows what its processes were started as', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ready(1)
  const options = rigOptions({ models: [model('A')] })
  const again = restoreScheduler(options, JSON.parse(JSON.stringify(rig.scheduler.snapshot())))
  const reload = (changes: Partial<ModelPolicy>) =>
    again.onConfig({ type: 'config-changed', now: 1, options: rigOptions({ models: [model('A', changes)] }) })
  t.same(reload({}), [])
  t.same(reload(NEW).map(brief), ['stop 2 A changed'])
  t.end()
})
