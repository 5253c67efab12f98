import t from 'tap'
import type { Waiter } from '../../../src/schedule/state/waiter.ts'
import { WaitQueue } from '../../../src/schedule/state/wait-queue.ts'

/** A queue by arrival that counts its comparisons. */
const countedQueue = () => {
  let compared = 0
  const before = (a: Waiter, b: Waiter): boolean => {
    compared += 1
    return a.arrival < b.arrival
  }
  const queue = new WaitQueue({ key: () => 0, before })
  const waiters = Array.from({ length: 3_000 }, (_, arrival) => ({ arrival, waiting: true }) as unknown as Waiter)
  for (const waiter of waiters) queue.add(waiter)
  const leave = (from: number, to: number): void => {
    for (const waiter of waiters.slice(from, to)) {
      waiter.waiting = false
      queue.forget()
    }
  }
  const first = (count: number): number[] => queue.first(count).map(({ arrival }) => arrival)
  return { queue, leave, first, comparisons: () => compared }
}

t.test('the first are told in order, past those that left, and stay', (t) => {
  const { queue, leave, first } = countedQueue()
  leave(0, 2)
  leave(3, 5)
  t.same(first(3), [2, 5, 6])
  t.same(first(3), [2, 5, 6], 'once more')
  t.same(first(0), [])
  t.equal(first(Infinity).length, 2_996)
  t.equal(queue.depth, 2_996)
  t.equal(queue.head()?.arrival, 2)
  t.end()
})

t.test('those that left are passed once, and not by everybody who asks', (t) => {
  const { leave, first, comparisons } = countedQueue()
  leave(0, 1_400)
  t.same(first(8)[0], 1_400)
  const before = comparisons()
  first(8)
  t.ok(comparisons() - before < 500, `${comparisons() - before} comparisons for eight`)
  t.end()
})
