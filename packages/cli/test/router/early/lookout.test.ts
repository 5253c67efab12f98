import { requestId, type QueueEntry } from '@lswap/core'
import t from 'tap'
import { createLookout } from '../../../src/router/early/lookout.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

t.test('all who wait read one look at the first hundred, at most a second old', async (t) => {
  const clock = createVirtualClock()
  const limits: (number | undefined)[] = []
  let length = 200
  const queue = (limit = Infinity): readonly QueueEntry[] => {
    limits.push(limit)
    return Array.from({ length: Math.min(limit, length) }, (_, at) => ({ request: requestId(at + 1) }) as QueueEntry)
  }
  const lookout = createLookout({ queue, progressOf: () => undefined }, clock)
  for (let id = 1; id <= 200; id++) t.equal(lookout.entryOf(requestId(id)) !== undefined, id <= 100)
  t.same(limits, [100])
  await clock.advance(999)
  lookout.entryOf(requestId(150))
  t.equal(limits.length, 1)
  await clock.advance(1)
  length = 3
  lookout.entryOf(requestId(1))
  t.equal(limits.length, 2)
  await clock.advance(99)
  length = 4
  t.equal(lookout.entryOf(requestId(4)), undefined)
  await clock.advance(1)
  t.ok(lookout.entryOf(requestId(4)), 'one that came later is looked for sooner')
  t.equal(limits.length, 3)
})
