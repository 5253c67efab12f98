import t from 'tap'
import { group, modelId, type Group } from '../../src/index.ts'
import { brief, question, resident } from './question.ts'

const made = (id: string, members: string[], more: Partial<Group> = {}): Group => ({
  id,
  swap: true,
  exclusive: true,
  persistent: false,
  members: members.map((member) => modelId(member)),
  ...more,
})

const all = ['A', 'B', 'C', 'U', 'V'].map((id) => resident(id))

/** What goes for `target`, with A and B in one group, C in another, and everything running. */
const goes = (target: string, first: Partial<Group> = {}, second: Partial<Group> = {}): string => {
  const swapper = group([made('g', ['A', 'B'], first), made('h', ['C'], second)])
  return brief(
    swapper.plan(
      question(
        target,
        all.filter(({ model }) => model !== target),
      ),
    ),
  )
}

t.test('inside a group with swap one member goes for another', (t) => {
  t.equal(goes('A', { exclusive: false }), '-B')
  t.end()
})

t.test('inside a group without swap members stay together', (t) => {
  t.equal(goes('A', { exclusive: false, swap: false }), '')
  t.end()
})

t.test('an exclusive group evicts the others', (t) => {
  t.equal(goes('A', { swap: false }), '-C -U -V')
  t.end()
})

t.test('a group that is not exclusive leaves the others alone', (t) => {
  t.equal(goes('C', {}, { exclusive: false }), '')
  t.end()
})

t.test('a persistent group is not evicted by others', (t) => {
  t.equal(goes('A', {}, { persistent: true }), '-B -U -V')
  t.equal(goes('U', { persistent: true }), '-C -V')
  t.end()
})

t.test('a persistent group still swaps its own members', (t) => {
  t.equal(goes('A', { persistent: true, exclusive: false }), '-B')
  t.end()
})

t.test('models in no group form one group with swap and exclusive', (t) => {
  t.equal(goes('U'), '-A -B -C -V')
  t.end()
})

t.test('pinned members stay', (t) => {
  const swapper = group([made('g', ['A', 'B'])])
  const residents = [resident('A', { pinned: true }), resident('U', { pinned: true })]
  t.equal(brief(swapper.plan(question('B', residents))), '')
  t.match(swapper.plan(question('B', residents)).reason, /group g of B/)
  t.end()
})
