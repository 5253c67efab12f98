import t from 'tap'
import { callerId, group, hostId, modelId } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const one = (): Rig => new Rig({ models: [model('A', { idleMs: 5_000 }), model('B')] })

t.test('an idle model is unloaded, counted from ready when nobody used it', (t) => {
  const rig = one()
  rig.ask('A')
  rig.cancel(1)
  rig.pass(1_000)
  rig.ready(1)
  t.same(rig.pass(4_999), [])
  t.equal(rig.scheduler.nextTick(), 6_000)
  t.same(rig.pass(1), ['stop 2 A idle'])
  t.match(rig.commands.at(-1), { drainMs: 0 })
  rig.stopDone(2)
  t.equal(rig.phase('A'), 'stopped')
  t.end()
})

t.test('it counts from the end of the last request, and not while one runs', (t) => {
  const rig = one()
  rig.ask('A')
  rig.ready(1)
  t.same(rig.pass(20_000), [])
  rig.served(1)
  t.same(rig.pass(4_999), [])
  t.same(rig.pass(1), ['stop 2 A idle'])
  t.end()
})

t.test('a request that holds the model without a slot keeps it, too', (t) => {
  const rig = one()
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A', { takesSlot: false })
  t.same(rig.pass(20_000), [])
  t.end()
})

t.test('an idle unload can not race a grant: the next request waits for the end and loads again', (t) => {
  const rig = one()
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.pass(5_000), ['stop 1 A idle'])
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(1), 'stopping')
  t.same(rig.stopDone(1), ['swap 2 A'])
  t.end()
})

t.test('a model without an idle time stays', (t) => {
  const rig = one()
  rig.hostUp('local', [{ model: 'B' }])
  t.same(rig.pass(10_000_000), [])
  t.equal(rig.phase('B'), 'ready')
  t.end()
})

t.test('the view tells when idle unload is due', (t) => {
  const rig = one()
  rig.pass(100)
  rig.hostUp('local', [{ model: 'A' }])
  const placement = () => rig.scheduler.view(rig.now).models.get('A')?.placements[0]
  t.match(placement(), { idleSince: 100, idleUntil: 5_100 })
  rig.ask('A')
  t.equal(placement()?.idleUntil, undefined)
  t.end()
})

t.test('a tick that serves the last one who wanted a model stops its idle replicas as well', (t) => {
  const swapper = group([
    { id: 'pair', swap: false, exclusive: false, persistent: false, members: [modelId('A'), modelId('B')] },
  ])
  const hosts = [hostId('h1'), hostId('h2')]
  const models = [model('A', { hosts, idleMs: 1_000 }), model('B', { hosts: [hostId('h1')] })]
  const rig = new Rig({ models, swapper, hosts: ['h1', 'h2'], limits: { queueTimeoutMs: 2_000 } })
  rig.hostUp('h1', [{ model: 'A' }, { model: 'B' }])
  rig.hostUp('h2', [{ model: 'A' }])
  rig.ask('B')
  const limited = { caller: callerId('k1'), callerLimit: 1 }
  rig.ask('B', limited)
  rig.now = 500
  rig.ask('A', limited)
  t.same(rig.pass(1_000), [], 'it waits for its caller, and keeps the model')
  rig.now += 500
  t.same(rig.tick(), ['reject 2 wait_exceeded', 'grant 3 A@h1', 'stop 1 A@h2 idle'])
  t.end()
})
