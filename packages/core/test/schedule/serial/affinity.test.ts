import t from 'tap'
import type { Rig } from '../rig.ts'
import { rigOf } from './fixtures.ts'

t.test('affinity bound: staying is worth what a swap costs, at least a point', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.now = 1_000
  rig.ask('B')
  rig.now = 10_999
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'], 'B came less than 10 s earlier, and its swap costs a point')
  rig.now = 11_001
  rig.ask('A')
  t.same(rig.served(3), ['swap 2 B -A'], 'B came more than 10 s earlier')
})

/** A serves, and loading B takes that long. */
const measured = (loadMs: number): Rig => {
  const rig = rigOf(['A', 'B'])
  rig.ask('B')
  rig.ready(1, { loadMs })
  rig.served(1)
  rig.ask('A')
  rig.ready(2)
  return rig
}

t.test('affinity bound: a swap costs the median of its loads', async (t) => {
  const rig = measured(50_000)
  rig.ask('B')
  rig.now = 49_999
  rig.ask('A')
  t.same(rig.served(2), ['grant 4 A'])
  rig.now = 50_001
  rig.ask('A')
  t.same(rig.served(4), ['swap 3 B -A'])
})

t.test('affinity bound: no swap costs more than twelve points', async (t) => {
  const rig = measured(3_600_000)
  rig.ask('B')
  rig.now = 119_999
  rig.ask('A')
  t.same(rig.served(2), ['grant 4 A'])
  rig.now = 120_001
  rig.ask('A')
  t.same(rig.served(4), ['swap 3 B -A'])
})

t.test('a fixed swapAffinity counts whatever loads take', async (t) => {
  const rig = rigOf(['A', 'B'], { swapAffinity: 3 })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B')
  rig.now = 29_999
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'])
  rig.now = 30_001
  rig.ask('A')
  t.same(rig.served(3), ['swap 2 B -A'])
})

t.test('a model that loads costs no swap any more', async (t) => {
  const rig = rigOf(['A', 'B', 'C'])
  rig.ask('A', { priority: 1 })
  rig.ask('B')
  rig.now = 5_000
  rig.ask('A')
  t.same(
    [2, 3].map((request) => rig.position(request)),
    [3, 2],
    'of those two A goes first',
  )
})

/** Serves everything that waits, one after the other; answers the models in the order of their loads. */
const playOut = (rig: Rig): { loads: string[]; served: number[] } => {
  const loads: string[] = []
  const served: number[] = []
  for (let at = 0; at < rig.commands.length; at += 1) {
    const command = rig.commands[at]
    if (command?.type === 'start-swap') {
      loads.push(command.swap.model)
      rig.now += 1_000
      rig.ready(command.swap.generation)
    } else if (command?.type === 'grant') {
      served.push(command.request)
      rig.now += 1_000
      rig.served(command.request)
    }
  }
  return { loads, served }
}

t.test('ABAB… is served A A … B B …, in two loads', async (t) => {
  const rig = rigOf(['A', 'B'])
  for (let round = 0; round < 20; round += 1) {
    rig.ask('A')
    rig.ask('B')
  }
  const { loads, served } = playOut(rig)
  t.same(loads, ['A', 'B'])
  t.equal(served.length, 40)
})

t.test('ABAB… ends also where staying is worth nothing: every load serves at least one', async (t) => {
  const rig = rigOf(['A', 'B'], { swapAffinity: 0 })
  for (let round = 0; round < 10; round += 1) {
    rig.ask('A')
    rig.now += 1
    rig.ask('B')
    rig.now += 1
  }
  const { loads, served } = playOut(rig)
  t.equal(served.length, 20)
  t.equal(loads.length, 20, 'one each')
  t.same(
    served,
    served.toSorted((a, b) => a - b),
  )
})
