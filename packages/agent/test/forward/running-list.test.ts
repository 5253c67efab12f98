import t from 'tap'
import { RunningList } from '../../src/forward/running-list.ts'

t.test('entries leave in any order, each once', (t) => {
  const list = new RunningList<{ place: number; readonly name: string }>()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ place: -1, name }))
  if (a === undefined || b === undefined || c === undefined) throw new Error('three were made')
  t.equal(list.delete(a), false, 'not in it yet')
  for (const entry of [a, b, c]) list.add(entry)
  t.equal(list.delete(a), true)
  t.equal(list.delete(a), false)
  t.same(
    list
      .all()
      .map(({ name }) => name)
      .toSorted(),
    ['b', 'c'],
  )
  t.equal(list.delete(c), true, 'which took the place of the first')
  t.equal(list.delete(b), true)
  t.equal(list.size, 0)
  t.end()
})
