import t from 'tap'
import { model } from '../rig.ts'
import { rigOf, serial } from './fixtures.ts'

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

t.test('aging bound: a priority point is worth agingSeconds, and not a moment more', async (t) => {
  const rig = rigOf(['A'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: -2 })
  rig.now = 19_999
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'])
  rig.now = 20_001
  rig.ask('A')
  t.same(rig.served(3), ['grant 2 A'])
})

t.test('agingSeconds says how long a point takes', async (t) => {
  const rig = rigOf(['A'], { agingSeconds: 100 })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: -2 })
  rig.now = 199_999
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'])
})

t.test('with agingSeconds 0 waiting is worth nothing', async (t) => {
  const rig = rigOf(['A', 'B'], { agingSeconds: 0 })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B')
  rig.ask('A', { priority: -1 })
  rig.now = 600_000
  rig.ask('A')
  t.same(rig.served(1), ['grant 4 A'], 'a swap costs, however long somebody waits for it')
  t.same(rig.served(4), ['swap 2 B -A'], 'and a priority point is as much')
})

t.test('with agingSeconds 0 a swap costs what it would with 10', async (t) => {
  const rig = rigOf(['A', 'B'], { agingSeconds: 0 })
  rig.ask('B')
  rig.ready(1, { loadMs: 30_000 })
  rig.served(1)
  rig.ask('A')
  rig.ready(2)
  rig.ask('B', { priority: 2 })
  rig.ask('A')
  t.same(rig.served(2), ['grant 4 A'], 'three points are more than two')
  rig.ask('B', { priority: 4 })
  rig.ask('A')
  t.same(rig.served(4), ['swap 3 B -A'], 'and less than four')
})

t.test('of equal scores the earlier arrival goes first, also between models', async (t) => {
  const rig = rigOf(['A', 'B', 'C'], { swapAffinity: 0 })
  rig.ask('A')
  rig.ready(1)
  rig.ask('C')
  rig.ask('B')
  rig.now = 10_000
  rig.ask('A', { priority: 1 })
  rig.ask('A')
  t.same(
    [2, 3, 4, 5].map((request) => rig.position(request)),
    [1, 2, 3, 4],
    'a point that is made up by 10 s is no lead',
  )
  t.same(rig.served(1), ['swap 2 C -A'])
})

t.test('no cyclic order: whatever is loaded, the waiting stand in one line and are served along it', async (t) => {
  for (const loaded of ['A', 'B', 'C']) {
    const rig = rigOf(['A', 'B', 'C'])
    rig.ask(loaded)
    rig.ready(1)
    rig.ask('B')
    rig.now = 5_000
    rig.ask('A')
    rig.now = 12_000
    rig.ask('C', { priority: 1 })
    const line = [2, 3, 4].map((request) => rig.position(request))
    t.same(
      line.toSorted((a = 0, b = 0) => a - b),
      [1, 2, 3],
    )
    const first = 2 + line.indexOf(1)
    const models = ['', '', 'B', 'A', 'C']
    const expected = models[first] === loaded ? `grant ${first} ${loaded}` : `swap 2 ${models[first]} -${loaded}`
    t.same(rig.served(1), [expected], `with ${loaded} loaded`)
  }
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

t.test('a reload with other settings gives everybody a new place', async (t) => {
  const rig = rigOf(['A'])
  rig.now = 100_000
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('A')
  rig.reload({ models: [model('A')], policy: serial({ agingSeconds: 1_000 }) })
  rig.now = 101_000
  rig.ask('A')
  t.same(rig.served(1), ['grant 2 A'], 'not the one whose place was made under the new settings')
  t.same(rig.served(2, 'retry'), ['grant 2 A'], 'one that is tried again stands in its old place, too')
})

t.test('a reload with other settings re-ranks what is being served, for the case that it is tried again', async (t) => {
  const rig = rigOf(['A'])
  rig.now = 100_000
  rig.ask('A')
  rig.ready(1)
  rig.reload({ models: [model('A')], policy: serial({ agingSeconds: 1_000 }) })
  rig.now = 101_000
  rig.ask('A')
  t.same(rig.served(1, 'retry'), ['grant 1 A'])
})

t.test('a reload may change the scheduler', async (t) => {
  const rig = rigOf(['A', 'B'])
  const models = [model('A'), model('B')]
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 1 })
  rig.now = 20_000
  rig.ask('A')
  rig.reload({ models, policy: { use: 'fifo', fairAfterMs: 60_000 } })
  t.same(rig.position(3), 2)
  rig.now = 21_000
  rig.ask('A', { priority: 2 })
  t.same(rig.served(1), ['grant 4 A'], 'under FIFO the request priority decides')
  rig.reload({ models, policy: serial() })
  t.same(rig.served(4), ['swap 2 B -A'], 'and under serial what was waited')
})
