import * as fc from 'fast-check'
import t from 'tap'
import type { SerialSettings } from '../../src/index.ts'
import { playTraces, RUNS } from './world/prop.ts'
import { serialOrder } from './world/serial-order.ts'

const policy: fc.Arbitrary<SerialSettings> = fc.record({
  use: fc.constant('serial' as const),
  agingSeconds: fc.constantFrom(0, 0.02, 0.1, 0.1, 0.5, 2, 10),
  swapAffinity: fc.constantFrom('auto' as const, 'auto' as const, 0, 3),
  minResidencyMs: fc.constantFrom(0, 0, 0, 500, 4_000),
  fairShare: fc.boolean(),
  backfill: fc.constantFrom(true, true, false),
})

t.setTimeout(240_000 + RUNS * 100)
t.test('whatever happens, every waiter ends, nobody starves, and nothing breaks the machine', (t) => {
  playTraces(t, {
    policy,
    watches: () => [serialOrder()],
    reach: [
      'abort',
      'unload during load',
      'pin',
      'restore',
      'restore over another',
      'crash',
      'ended unasked',
      'out of memory',
      'hold',
      'backfill',
      'caller at its limit',
      'closed',
      'retry',
      'stuck',
      'host lost',
    ],
  })
  t.end()
})
