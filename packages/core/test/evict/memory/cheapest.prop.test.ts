import * as fc from 'fast-check'
import t from 'tap'
import { cheapestRemoval } from '../../../src/evict/memory/cheapest.ts'

interface Item {
  readonly id: number
  readonly size: number
}

const items = (max: number) =>
  fc
    .array(fc.record({ size: fc.integer({ min: 1, max: 9 }), cost: fc.integer({ min: 1, max: 9 }) }), {
      maxLength: max,
    })
    .map((list) => list.map(({ size, cost }, id) => ({ item: { id, size }, cost })))

const sizeOf = (removed: Iterable<Item>): number => [...removed].reduce((sum, { size }) => sum + size, 0)

t.test('up to ten candidates: no subset that makes room is cheaper', async (t) => {
  fc.assert(
    fc.property(items(10), fc.integer({ min: 0, max: 40 }), (candidates, needed) => {
      const found = cheapestRemoval(candidates, (removed) => sizeOf(removed) >= needed)
      const costOf = (chosen: readonly Item[]): number =>
        candidates.filter(({ item }) => chosen.includes(item)).reduce((sum, { cost }) => sum + cost, 0)
      let best = Infinity
      for (let bits = 0; bits < 2 ** candidates.length; bits += 1) {
        const subset = candidates.map(({ item }) => item).filter(({ id }) => (bits >> id) % 2 === 1)
        if (sizeOf(subset) >= needed) best = Math.min(best, costOf(subset))
      }
      if (found === undefined) return best === Infinity
      return sizeOf(found) >= needed && costOf(found) === best
    }),
    { numRuns: 500 },
  )
  t.pass('500 random sets')
})

t.test('beyond the exact bound room is made all the same, and nothing goes that need not', async (t) => {
  fc.assert(
    fc.property(items(40), fc.integer({ min: 0, max: 100 }), (candidates, needed) => {
      const found = cheapestRemoval(candidates, (removed) => sizeOf(removed) >= needed)
      if (found === undefined) return sizeOf(candidates.map(({ item }) => item)) < needed
      const total = sizeOf(found)
      return total >= needed && (candidates.length <= 16 || found.every(({ size }) => total - size < needed))
    }),
    { numRuns: 500 },
  )
  t.pass('500 random sets')
})
