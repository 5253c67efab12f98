import t from 'tap'
import { hostId, restoreScheduler } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const on = (...hosts: string[]) => ({ hosts: hosts.map((id) => hostId(id)) })
const NOBODY = { code: 'model_impossible', message: 'no host has the model A' }
const TAKEN = { code: 'host_unreachable', message: 'this router serves A no more: h1: another router has h1' }

t.test('what no host has is refused at once, a load as well', (t) => {
  const rig = new Rig({ models: [model('A', on())] })
  t.same(rig.ask('A'), ['reject 1 model_impossible'])
  t.match(rig.commands.at(-1), { failure: NOBODY })
  t.same(rig.ask('A', { takesSlot: false }), ['reject 2 model_impossible'])
  t.end()
})

t.test('who waits for a model is told when the last host that had it has it no more', (t) => {
  const rig = new Rig({ models: [model('A', on('h1'))], hosts: [] })
  t.same(rig.ask('A'), [])
  t.same(rig.reload({ models: [model('A', on())] }), ['reject 1 model_impossible'])
  t.end()
})

t.test('where another router has taken over all hosts of a model nobody waits', (t) => {
  const rig = new Rig({ models: [model('A', on('h1', 'h2'))], hosts: [] })
  rig.ask('A')
  t.same(rig.hostDown('h1', { taken: true }), [], 'the other may come')
  t.same(rig.hostDown('h2', { taken: true }), ['reject 1 host_unreachable'])
  t.match(rig.commands.at(-1), { failure: TAKEN })
  t.same(rig.ask('A'), ['reject 2 host_unreachable'])
  t.end()
})

t.test('a host that is only away may be back, and one that is there serves', (t) => {
  const rig = new Rig({ models: [model('A', on('h1', 'h2'))], hosts: [] })
  rig.hostDown('h1', { taken: true })
  rig.hostDown('h2', { taken: true })
  rig.hostDown('h2')
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(1), 'no-host')
  t.same(rig.hostUp('h2', [{ model: 'A' }]), ['grant 1 A@h2'])
  t.end()
})

t.test('a host that this router claims anew, and one that leaves, are taken no more', (t) => {
  const rig = new Rig({ models: [model('A', on('h1'))], hosts: [] })
  rig.hostDown('h1', { taken: true })
  t.same(rig.hostUp('h1'), [])
  t.same(rig.ask('A'), ['swap 1 A@h1'])
  const other = new Rig({ models: [model('A', on('h1'))], hosts: [] })
  other.hostDown('h1', { taken: true })
  other.hostRemoved('h1')
  t.same(other.ask('A'), [])
  t.end()
})

t.test('an order that is refused for another router says so before the loss of the host does', (t) => {
  const failure = { code: 'fenced', message: 'another router has h1' } as const
  const alone = new Rig({ models: [model('A', on('h1'))], hosts: ['h1'] })
  t.same(alone.ask('A'), ['swap 1 A@h1'])
  t.same(alone.failed(1, { failure }), ['reject 1 host_unreachable'])
  const pair = new Rig({ models: [model('A', on('h1', 'h2'))], hosts: ['h1', 'h2'] })
  t.same(pair.ask('A'), ['swap 1 A@h1'])
  t.same(pair.failed(1, { failure }), ['swap 2 A@h2'], 'others may have it')
  t.end()
})

t.test('a snapshot knows it', (t) => {
  const options = { models: [model('A', on('h1'))], hosts: [] }
  const rig = new Rig(options)
  rig.hostDown('h1', { taken: true })
  const twin = new Rig(options, restoreScheduler(rigOptions(options), rig.scheduler.snapshot()))
  t.same(twin.ask('A'), ['reject 1 host_unreachable'])
  t.end()
})
