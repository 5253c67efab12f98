import t from 'tap'
import { DEFAULT_SERIAL, type SerialSettings } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const serial = (more: Partial<SerialSettings> = {}): SerialSettings => ({ ...DEFAULT_SERIAL, ...more })

const rigOf = (ids: readonly string[], more: Partial<SerialSettings> = {}): Rig =>
  new Rig({ models: ids.map((id) => model(id)), policy: serial(more) })

t.test('the more urgent request goes first, whatever came before it', async (t) => {
  const rig = rigOf(['A', 'B', 'C', 'D'])
  rig.ask('A')
  rig.ask('B')
  rig.ask('C', { priority: 5 })
  rig.ask('D', { priority: 5 })
  rig.ready(1)
  t.same(rig.served(1), ['swap 2 C -A'])
  rig.ready(2)
  t.same(rig.served(3), ['swap 3 D -C'])
  rig.ready(3)
  t.same(rig.served(4), ['swap 4 B -D'])
})

t.test('waiting adds a point each agingSeconds: batch work overtakes what came much later', async (t) => {
  const rig = rigOf(['A', 'B'], { swapAffinity: 0 })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: -2 })
  rig.now = 19_000
  rig.ask('A', { priority: 0 })
  t.same(rig.served(1), ['grant 3 A'], 'two points are worth 20 seconds')
  rig.now = 40_000
  rig.ask('A', { priority: 0 })
  t.same(rig.served(3), ['grant 2 A'])
})

t.test('staying on a loaded model is worth what its swap costs, and no more', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.now = 1_000
  rig.ask('B')
  rig.now = 5_000
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'], 'B came 4 s earlier, and its swap costs a point, 10 s')
  rig.now = 12_000
  rig.ask('A')
  t.same(rig.served(3), ['swap 2 B -A'], 'B came 11 s earlier')
})

t.test('loaded but full: the next slot is kept, and no lower score swaps the model out', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: 5 })
  rig.ask('B')
  t.equal(rig.cause(2), 'slots-full')
  t.same(rig.served(1), ['grant 2 A'])
  t.same(rig.served(2), ['swap 2 B -A'])
})

t.test('a hold: nothing with a lower score is granted to a model that must go', async (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 }), model('B')], policy: serial() })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  t.same(rig.ask('A'), [], 'a slot is free, and held')
  t.equal(rig.cause(3), 'held-for')
  t.equal(rig.cause(2), 'draining')
  t.same(rig.ask('A', { priority: 9 }), ['grant 4 A'], 'a higher score goes before the hold')
  rig.served(1)
  t.same(rig.served(4), ['swap 2 B -A'])
  t.same(rig.ready(2), ['grant 2 B'])
  t.same(rig.served(2), ['swap 3 A -B'])
})

t.test('a hold ends with its request', async (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 }), model('B')], policy: serial() })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  rig.ask('A')
  t.same(rig.cancel(2), ['grant 3 A'])
})

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

t.test('a model that nobody wants goes before its residency ends', async (t) => {
  const rig = rigOf(['A', 'B'], { minResidencyMs: 30_000 })
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  t.same(rig.ask('B'), ['swap 2 B -A'])
})

t.test('two models requested in the same tick with a third idle: both are served', async (t) => {
  const rig = rigOf(['A', 'B', 'C'])
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  t.same(rig.ask('B'), ['swap 2 B -A'])
  t.same(rig.ask('C'), [])
  rig.ready(2)
  t.same(rig.served(2), ['swap 3 C -B'])
})

t.test('backfill lets a short request use a held slot while a longer one still drains', async (t) => {
  const rig = new Rig({
    models: [model('A', { concurrencyLimit: 2 }), model('B')],
    policy: serial({ backfill: true }),
  })
  rig.ask('A')
  rig.ready(1)
  rig.now = 10_000
  rig.served(1)
  t.same(rig.ask('A'), ['grant 2 A'], 'expected to run until 20 s')
  rig.ask('B', { priority: 50 })
  t.same(rig.ask('A'), ['grant 4 A'], 'it is expected to end by then, too')
  rig.served(4)
  rig.now = 12_000
  t.same(rig.ask('A'), [], 'this one would not')
  t.same(rig.served(2), ['swap 2 B -A'])
})

t.test('pins: an operator keeps a model, and takes it back', async (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], policy: serial() })
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  rig.pin('A', true)
  t.same(rig.ask('B'), ['swap 2 B'])
  rig.ready(2)
  rig.served(2)
  rig.pin('A', false)
  t.same(rig.unload(['B']), ['stop 3 B unload'])
  rig.stopDone(3)
  t.same(rig.ask('B'), ['swap 4 B -A'])
})
