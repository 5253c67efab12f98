import t from 'tap'
import { exclusive, group, modelId, type Group, type Swapper } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const made = (id: string, members: string[], more: Partial<Group> = {}): Group => ({
  id,
  swap: true,
  exclusive: true,
  persistent: false,
  members: members.map((member) => modelId(member)),
  ...more,
})

const rigWith = (swapper: Swapper): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C', 'D'].map((id) => model(id)), swapper })
  rig.hostUp('local', [{ model: 'A' }, { model: 'C' }])
  return rig
}

t.test('under exclusive everything else on the host goes', (t) => {
  t.same(rigWith(exclusive).ask('B'), ['swap 1 B -A -C'])
  t.end()
})

t.test('under groups only what the groups say goes', (t) => {
  const groups = [made('g', ['A', 'B'], { exclusive: false }), made('h', ['C', 'D'])]
  t.same(rigWith(group(groups)).ask('B'), ['swap 1 B -A'])
  t.same(rigWith(group(groups)).ask('D'), ['swap 1 D -A -C'])
  t.end()
})

t.test('two members of a group without swap run side by side and serve at once', (t) => {
  const rig = new Rig({
    models: ['A', 'B'].map((id) => model(id)),
    swapper: group([made('g', ['A', 'B'], { swap: false })]),
  })
  t.same(rig.ask('A'), ['swap 1 A'])
  t.same(rig.ask('B'), ['swap 2 B'])
  rig.ready(1)
  rig.ready(2)
  t.equal(rig.phase('A'), 'ready')
  t.equal(rig.inFlight('B'), 1)
  t.end()
})

for (const swapper of [exclusive, group([made('g', ['A', 'B'])])]) {
  t.test(`all planners: what loads and is wanted is waited for: ${swapper.name}`, (t) => {
    const rig = new Rig({ models: ['A', 'B'].map((id) => model(id)), swapper })
    rig.ask('A')
    t.same(rig.ask('B'), [])
    t.equal(rig.cause(2), 'swap-running')
    t.same(rig.ready(1), ['grant 1 A'])
    t.same(rig.served(1), ['swap 2 B -A'])
    t.end()
  })
}
