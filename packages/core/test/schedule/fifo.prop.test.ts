import * as fc from 'fast-check'
import t from 'tap'
import { fifoOrder } from './world/fifo-order.ts'
import { playTraces, RUNS } from './world/prop.ts'

const policy = fc
  .constantFrom(100, 200, 400, 1_000, 60_000)
  .map((fairAfterMs) => ({ use: 'fifo', fairAfterMs }) as const)

t.setTimeout(240_000 + RUNS * 100)
t.test('whatever happens, every waiter ends, once, in order, and nothing breaks the machine', (t) => {
  playTraces(t, {
    policy,
    watches: () => [fifoOrder()],
    reach: [
      'abort',
      'unload during load',
      'pin',
      'restore',
      'restore over another',
      'crash',
      'ended unasked',
      'out of memory',
      'overdue',
      'held',
      'caller at its limit',
      'closed',
      'retry',
      'stuck',
      'host lost',
    ],
  })
  t.end()
})
