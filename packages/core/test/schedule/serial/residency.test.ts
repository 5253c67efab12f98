import t from 'tap'
import { leastLoaded, type PickerFactory } from '../../../src/index.ts'
import { model } from '../rig.ts'
import { rigOf } from './fixtures.ts'

t.test('a model just loaded stays for minResidencyMs while somebody wants it', async (t) => {
  const rig = rigOf(['A', 'B'], { minResidencyMs: 30_000 })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 50 })
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'])
  rig.ask('A')
  t.equal(rig.cause(2), 'residency')
  t.same(rig.pass(29_999), [])
  t.same(rig.pass(1), [])
  t.same(rig.served(3), ['swap 2 B -A'])
})

t.test('a hold starts when the residency ends, with a tick of its own', async (t) => {
  const rig = rigOf([], { minResidencyMs: 30_000 }, { models: [model('A', { concurrencyLimit: 2 }), model('B')] })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'], 'no hold yet')
  t.equal(rig.cause(4), 'residency')
  t.equal(rig.scheduler.nextTick(), 30_000)
  rig.pass(30_000)
  t.equal(rig.cause(4), 'draining')
  t.same(rig.served(2), [], 'the slot is held')
  t.same(rig.served(3), ['swap 2 B -A'])
})

t.test('a model that nobody wants goes before its residency ends', async (t) => {
  const rig = rigOf(['A', 'B'], { minResidencyMs: 30_000 })
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  t.same(rig.ask('B'), ['swap 2 B -A'])
})

t.test('a residency that ends while nobody wants the model begins a hold, too', async (t) => {
  let open = false
  const picker: PickerFactory = () => ({
    name: 'gate',
    pick: (request, endpoints) =>
      open
        ? leastLoaded.pick(request, endpoints)
        : {
            chosen: undefined,
            reason: 'closed',
            failure: { code: 'queue_full', message: 'closed' },
            onSaturation: 'wait',
            trace: [],
          },
  })
  const models = [model('A', { concurrencyLimit: 9 }), model('B')]
  const rig = rigOf([], { minResidencyMs: 30_000 }, { models, picker })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  t.equal(rig.cause(3), 'residency')
  open = true
  t.same(rig.ask('A'), ['grant 2 A', 'grant 4 A'])
  t.same(rig.pass(30_000), [])
  t.same(rig.ask('A'), [], 'no further one over the hold')
  t.equal(rig.cause(5), 'held-for')
})

t.test('without minResidencyMs nothing stays', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 50 })
  rig.ask('A')
  t.equal(rig.cause(2), 'draining')
  t.same(rig.served(1), ['swap 2 B -A'])
})
