import * as fc from 'fast-check'
import t from 'tap'
import { Heap, type Order } from '../../../src/schedule/state/heap.ts'

interface Item {
  readonly large: number
  readonly small: number
}

const order: Order<Item> = { key: ({ large }) => large, before: (a, b) => a.small < b.small }
const items = fc
  .array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 })
  .map((keys) => keys.map((large, small): Item => ({ large, small })))
  .chain((made) => fc.shuffledSubarray(made, { minLength: made.length }))

const heapOf = (pushed: readonly Item[]): Heap<Item> => {
  const heap = new Heap(order)
  for (const item of pushed) heap.push(item)
  return heap
}
const inOrder = (all: readonly Item[]): Item[] => all.toSorted((a, b) => a.large - b.large || a.small - b.small)
const isKept = ({ small }: Item): boolean => small % 3 > 0
const popAll = (heap: Heap<Item>): Item[] => Array.from({ length: heap.size }, () => heap.pop() as Item)

t.test('the smallest key leaves first; of equal keys the order decides', (t) => {
  const property = fc.property(items, (pushed) => t.same(popAll(heapOf(pushed)), inOrder(pushed)))
  t.doesNotThrow(() => fc.assert(property))
  t.equal(heapOf([]).pop(), undefined)
  t.end()
})

t.test('what is kept is still in order, and what comes later finds its place', (t) => {
  const property = fc.property(items, items, (pushed, later) => {
    const heap = heapOf(pushed)
    heap.prune(isKept)
    const others = later.map(({ large, small }) => ({ large, small: small + 100 }))
    for (const item of others) heap.push(item)
    t.same(popAll(heap), inOrder([...pushed.filter((item) => isKept(item)), ...others]))
  })
  t.doesNotThrow(() => fc.assert(property))
  t.end()
})

t.test('a heap that was emptied starts anew', (t) => {
  const all = [3, 1, 2].map((large) => ({ large, small: 0 }))
  for (const empty of [
    (heap: Heap<Item>) => heap.clear(),
    (heap: Heap<Item>) => t.same(inOrder(heap.drain()), inOrder(all)),
  ]) {
    const heap = heapOf(all)
    empty(heap)
    t.equal(heap.size, 0)
    t.equal(heap.peek(), undefined)
    for (const item of all) heap.push(item)
    t.same(popAll(heap), inOrder(all))
  }
  t.end()
})
