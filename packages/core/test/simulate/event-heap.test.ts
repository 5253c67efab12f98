import t from 'tap'
import { EventHeap } from '../../src/simulate/event-heap.ts'
import { drawPlace, seededRandom } from '../../src/simulate/random.ts'

t.test('earliest first, and of equal times the one announced first, however many there are', async (t) => {
  const heap = new EventHeap()
  const random = seededRandom(5)
  const left: { at: number; order: number }[] = []
  const popped: number[] = []
  const expected: number[] = []
  // Pushes and pops mixed, far beyond the first room of the columns
  for (let order = 0; order < 3_000; order += 1) {
    const at = drawPlace(random, 40)
    heap.push({ at, kind: order % 3, subject: order })
    left.push({ at, order })
    if (random() < 0.4) popAndCompare()
  }
  while (left.length > 0) popAndCompare()
  t.same(popped, expected)
  t.equal(heap.nextAt, Infinity)
  t.throws(() => heap.pop(), /nothing is announced/)

  function popAndCompare(): void {
    left.sort((a, b) => a.at - b.at || a.order - b.order)
    const first = left.shift()
    const nextAt = heap.nextAt
    const event = heap.pop()
    popped.push(event.subject, event.kind, event.at, nextAt)
    expected.push(first?.order ?? -1, (first?.order ?? -1) % 3, first?.at ?? -1, first?.at ?? -1)
  }
})
