import t from 'tap'
import { shiftTree } from '../../src/config/shift-tree.ts'
import type { Tree } from '../../src/config/tree.ts'

t.test('every place moves, and what is shared stays shared', async (t) => {
  const shared: Tree = { kind: 'scalar', value: 'x', source: 'x', plain: true, at: 3, end: 4 }
  const list: Tree = { kind: 'list', items: [shared, shared], at: 2 }
  const tree: Tree = { kind: 'map', entries: new Map([['k', { keyAt: 0, value: list }]]), at: 0 }
  const moved = shiftTree(tree, 10)
  t.match(moved, {
    at: 10,
    entries: new Map([['k', { keyAt: 10, value: { at: 12, items: [{ at: 13, end: 14 }, {}] } }]]),
  })
  const items = moved.kind === 'map' ? moved.entries.get('k')?.value : undefined
  t.ok(items?.kind === 'list' && items.items[0] === items.items[1])
  t.equal(shiftTree(tree, 0), tree)
})
