import t from 'tap'
import { ForgettingMap } from '../../src/router/forgetting-map.ts'

t.test('keeps, replaces, deletes and lists like a map', (t) => {
  const map = new ForgettingMap<number, string>()
  map.set(1, 'one')
  map.set(2, 'two')
  map.set(3, 'three')
  map.set(2, 'again')
  t.equal(map.get(2), 'again')
  t.equal(map.size, 3)
  t.equal(map.delete(1), true)
  t.equal(map.delete(1), false)
  t.equal(map.get(1), undefined)
  t.same(map.values(), ['three', 'again'])
  t.end()
})
