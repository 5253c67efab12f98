import t from 'tap'
import { generation, hostId, modelId, requestId, type Placement } from '../../../src/ids.ts'
import type { WaitCause } from '../../../src/schedule/scheduler.ts'
import { isSameCause } from '../../../src/schedule/state/same-cause.ts'

const at = (model: string, host = 'h1'): Placement => ({ model: modelId(model), host: hostId(host) })
const placement = at('A')
const failure = { code: 'stop_failed', message: 'it lives', hint: 'end it', retryAfterMs: 5 } as const

type Kind = WaitCause['type']
type Changes<Type extends Kind> = readonly Partial<Extract<WaitCause, { type: Type }>>[]

/** One of each type, with changes each of which makes it another one. */
const CAUSES: {
  readonly [Type in Kind]: readonly [Extract<WaitCause, { type: Type }>, Changes<Type>]
} = {
  loading: [
    { type: 'loading', placement, sinceMs: 7 },
    [{ placement: at('B') }, { placement: at('A', 'h2') }, { sinceMs: 8 }],
  ],
  'slots-full': [{ type: 'slots-full', placement, slots: 4 }, [{ placement: at('A', 'h2') }, { slots: 5 }]],
  saturated: [
    { type: 'saturated', placements: [placement, at('A', 'h2')], reason: 'busy' },
    [{ placements: [placement] }, { placements: [placement, at('A', 'h3')] }, { reason: 'full' }],
  ],
  draining: [
    { type: 'draining', models: [placement], need: '2 GiB' },
    [{ models: [at('B')] }, { models: [placement, at('B')] }, { models: [] }, { need: '3 GiB' }],
  ],
  'swap-running': [
    { type: 'swap-running', placement, generation: generation(3) },
    [{ placement: at('B') }, { generation: generation(4) }],
  ],
  stopping: [{ type: 'stopping', placement }, [{ placement: at('B') }]],
  residency: [{ type: 'residency', placement, until: 9 }, [{ placement: at('B') }, { until: 10 }]],
  'caller-cap': [{ type: 'caller-cap', limit: 2 }, [{ limit: 3 }]],
  'held-for': [{ type: 'held-for', request: requestId(1) }, [{ request: requestId(2) }]],
  stuck: [
    { type: 'stuck', placement, failure },
    [
      { placement: at('B') },
      { failure: { ...failure, code: 'start_failed' } },
      { failure: { ...failure, message: 'it is gone' } },
      { failure: { ...failure, hint: 'wait' } },
      { failure: { ...failure, retryAfterMs: 6 } },
    ],
  ],
  cooldown: [{ type: 'cooldown', placement, until: 9 }, [{ placement: at('B') }, { until: 10 }]],
  'no-host': [{ type: 'no-host' }, []],
}
const all: readonly (readonly [WaitCause, readonly Partial<WaitCause>[]])[] = Object.values(CAUSES)

t.test('a copy says the same', (t) => {
  for (const [cause] of all) t.ok(isSameCause(cause, structuredClone(cause)), cause.type)
  t.end()
})

t.test('whatever is changed makes another cause', (t) => {
  for (const [cause, changes] of all) {
    for (const change of changes) {
      t.notOk(isSameCause(cause, { ...cause, ...change } as WaitCause), `${cause.type}: ${JSON.stringify(change)}`)
    }
  }
  t.notOk(isSameCause({ type: 'draining', models: [placement] }, CAUSES.draining[0]), 'a need that is not told')
  t.end()
})

t.test('causes of two types are never the same', (t) => {
  for (const [a] of all) for (const [b] of all) if (a !== b) t.notOk(isSameCause(a, b), `${a.type}, ${b.type}`)
  t.end()
})
