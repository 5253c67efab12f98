import t from 'tap'
import { ownHeap } from '../../src/heap/heap.ts'
import { until } from '../router/support/ask.ts'
import { recordingLog } from '../router/support/log.ts'
import { createVirtualClock } from '../router/support/virtual-clock.ts'
import { GARBAGE_MIB, oldGarbage } from './old-garbage.ts'

t.test('memory is given back when nothing was under way for half a minute, which the log tells', async (t) => {
  const clock = createVirtualClock()
  const log = recordingLog()
  const { left } = oldGarbage()
  const unwatch = ownHeap(clock).watch(() => ({ isBusy: false, count: 0 }), log)
  t.teardown(unwatch)
  await clock.advance(29_000)
  t.same(log.lines, [])
  t.ok(left() > GARBAGE_MIB, `${left()} MiB`)
  await clock.advance(2_000)
  await until('it is told', () => log.lines.length > 0)
  t.match(log.lines, [
    { level: 'debug', message: /memory was given back/, fields: { ms: Number, before: Number, after: Number } },
  ])
  t.ok(left() < GARBAGE_MIB / 2, `${left()} MiB`)
})
