import * as fc from 'fast-check'
import t from 'tap'
import { DEFAULT_SERIAL, type PolicySettings } from '../../src/index.ts'
import { playTraces, RUNS } from './world/prop.ts'
import { anyReload } from './world/trace.ts'

/** Both schedulers, so that reloads exchange them too. */
const policy: fc.Arbitrary<PolicySettings> = fc.oneof(
  fc.constantFrom(200, 60_000).map((fairAfterMs) => ({ use: 'fifo' as const, fairAfterMs })),
  fc
    .record({ agingSeconds: fc.constantFrom(0, 0.1, 10), fairShare: fc.boolean() })
    .map((settings): PolicySettings => Object.assign({}, DEFAULT_SERIAL, settings)),
)

t.setTimeout(240_000 + RUNS * 100)
t.test('whatever a reload changes, nobody is lost, nothing is started twice, and what did not change runs on', (t) => {
  playTraces(t, {
    policy,
    reload: anyReload(policy),
    reloads: 8,
    watches: () => [],
    reach: ['abort', 'crash', 'retry', 'stuck', 'host lost', 'caller at its limit', 'removed in use', 'changed in use'],
  })
  t.end()
})
