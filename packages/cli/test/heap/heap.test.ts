import t from 'tap'
import { ownHeap } from '../../src/heap/heap.ts'
import { until } from '../router/support/ask.ts'
import { recordingLog } from '../router/support/log.ts'
import { createVirtualClock } from '../router/support/virtual-clock.ts'

t.test('memory is given back when nothing was under way for half a minute, which the log tells', async (t) => {
  const clock = createVirtualClock()
  const log = recordingLog()
  let collections = 0
  const collect = async (): Promise<void> => void (collections += 1)
  const unwatch = ownHeap(clock, collect).watch(() => ({ isBusy: false, count: 0 }), log)
  t.teardown(unwatch)
  await clock.advance(29_000)
  t.same([log.lines, collections], [[], 0])
  await clock.advance(2_000)
  await until('it is told', () => log.lines.length > 0)
  t.equal(collections, 1)
  t.match(log.lines, [
    { level: 'debug', message: /memory was given back/, fields: { ms: Number, before: Number, after: Number } },
  ])
})
