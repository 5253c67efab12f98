import { callerId, modelId, requestId, type ModelId, type QueueEntry } from '@lswap/core'
import t from 'tap'
import { MAX_LIMIT, readLimit } from '../../../src/router/own/limit.ts'
import { waitingFor } from '../../../src/router/own/queue.ts'

/** Ten wait: every other one for `b`. */
const TEN = Array.from({ length: 10 }, (_, at): QueueEntry => ({
  request: requestId(at + 1),
  model: modelId(at % 2 === 0 ? 'a' : 'b'),
  position: at + 1,
  priority: 0,
  band: 'normal',
  criticality: 'standard',
  caller: callerId('c'),
  receivedAt: at,
  waitedMs: 0,
  attempts: 0,
  cause: undefined,
  sentence: '',
  label: '',
  estimate: undefined,
  unmeasured: [],
}))

const reading = () => {
  const asked: number[] = []
  const queue = (limit: number) => {
    asked.push(limit)
    return TEN.slice(0, limit)
  }
  return { asked, queue }
}

t.test(
  'a key that reaches one model is told as many of its requests as it asks for, with their places among all',
  async (t) => {
    const loop = reading()
    const rights = { isRestricted: true, mayUse: (model: ModelId) => model === 'b' }
    t.same(
      waitingFor(loop, 3, rights).map(({ id, position }) => [id, position]),
      [
        [2, 2],
        [4, 4],
        [6, 6],
      ],
    )
  },
)

t.test('no more is read than is told, and never more than the loop has time for', async (t) => {
  const loop = reading()
  t.equal(waitingFor(loop, 4, { isRestricted: false, mayUse: () => true }).length, 4)
  waitingFor(loop, 4, { isRestricted: true, mayUse: () => false })
  t.same(loop.asked, [4, MAX_LIMIT])
  t.equal(readLimit(''), 100)
  t.equal(readLimit('limit=7'), 7)
  t.equal(readLimit('limit=999999999'), MAX_LIMIT)
})
