import * as fc from 'fast-check'
import type { PolicySettings } from '../../../src/index.ts'
import type { Action, Fate, ModelSetup, Reload, Setup, Step, SwapperSetup, Trace } from './setup.ts'

export interface TraceParts {
  readonly policy: fc.Arbitrary<PolicySettings>
  /** What reloads change; absent: the models that there are, their commands, pins and the policy's settings. */
  readonly reload?: fc.Arbitrary<Reload> | undefined
  /** How often reloads come, beside 24 requests. */
  readonly reloads: number
}

const fate: fc.Arbitrary<Fate> = fc.record({
  result: fc.oneof(
    { weight: 8, arbitrary: fc.constant('ready' as const) },
    { weight: 3, arbitrary: fc.constantFrom('failed', 'oom', 'refused') },
  ),
  stopMs: fc.integer({ min: 1, max: 300 }),
  loadMs: fc.integer({ min: 1, max: 1_500 }),
  sticks: fc.integer({ min: 0, max: 5 }).map((number) => number === 5),
  lingerMs: fc.integer({ min: 10, max: 8_000 }),
  survivesAbort: fc.boolean(),
  slots: fc.integer({ min: 1, max: 3 }),
})

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 })

const rarely: fc.Arbitrary<boolean> = fc.integer({ min: 0, max: 7 }).map((number) => number === 7)

const modelOn = (hosts: number): fc.Arbitrary<ModelSetup> =>
  fc.record({
    hosts: fc.subarray(
      Array.from({ length: hosts }, (_, place) => place),
      { minLength: 1 },
    ),
    slots: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 3 }),
    priority: fc.constantFrom(0, 0, 0, 5),
    pinned: rarely,
    queueLimit: fc.constantFrom(512, 512, 3),
    idleMs: optional(fc.integer({ min: 0, max: 3_000 })),
    restoreMs: optional(fc.integer({ min: 1, max: 3_000 })),
  })

const swapper: fc.Arbitrary<SwapperSetup> = fc.oneof(
  fc.constant({ use: 'exclusive' as const }),
  fc.record({
    use: fc.constant('group' as const),
    swap: fc.boolean(),
    exclusive: fc.boolean(),
    persistent: fc.boolean(),
  }),
  fc.record({ use: fc.constant('matrix' as const), set: fc.constantFrom('A & B | C & D', 'A & (B | C)', 'A | B & C') }),
  fc.record({
    use: fc.constant('memory' as const),
    sizes: fc.array(optional(fc.integer({ min: 1, max: 9 })), { minLength: 4, maxLength: 4 }),
    room: fc.integer({ min: 8, max: 16 }),
  }),
)

const setupWith = (policy: fc.Arbitrary<PolicySettings>): fc.Arbitrary<Setup> =>
  // On one host models are in each other's way most.
  fc.constantFrom(1, 1, 2, 3).chain((hosts) =>
    fc.record({
      hosts: fc.constant(hosts),
      models: fc.array(modelOn(hosts), { minLength: 2, maxLength: 4 }),
      swapper,
      callerLimit: fc.constantFrom(undefined, 1, 3),
      limits: fc.record({
        maxQueued: fc.constantFrom(2_048, 2_048, 6),
        queueTimeoutMs: fc.constantFrom(3_000, 20_000, 900_000),
        drainTimeoutMs: fc.constantFrom(400, 3_000, 600_000, 'never' as const),
      }),
      policy,
      fates: fc.array(fate, { minLength: 3, maxLength: 8 }),
    }),
  )

const place = fc.integer({ min: 0, max: 3 })

const ask: fc.Arbitrary<Extract<Action, { type: 'ask' }>> = fc.record({
  type: fc.constant('ask' as const),
  // Mostly two that are in each other's way, so that one is waited for while the other is asked for.
  model: fc.oneof({ weight: 1, arbitrary: place }, { weight: 2, arbitrary: fc.nat(1) }),
  caller: fc.constantFrom(0, 0, 1, 1, 2),
  priority: fc.constantFrom(0, 0, 0, 10, -10, 1),
  takesSlot: rarely.map((slotless) => !slotless),
  passive: rarely,
  noLoad: rarely,
  serveMs: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 300, max: 3_000 })),
  failures: fc.constantFrom(0, 0, 0, 0, 1, 2),
  cutMs: fc.integer({ min: 0, max: 60 }),
})

const reloadWith = (policy: fc.Arbitrary<PolicySettings>): fc.Arbitrary<Reload> =>
  fc.record({
    removed: optional(place),
    pinned: optional(place),
    newCommand: optional(place),
    policy: optional(policy),
  })

/** Everything that a reload can change. */
export const anyReload = (policy: fc.Arbitrary<PolicySettings>): fc.Arbitrary<Reload> =>
  fc.record({
    removed: optional(place),
    pinned: optional(place),
    newCommand: optional(place),
    newStart: optional(place),
    policy: optional(policy),
    slots: optional(fc.record({ model: place, count: fc.integer({ min: 1, max: 4 }) })),
    swapper: optional(swapper),
    limits: optional(
      fc.record({
        maxQueued: fc.constantFrom(2_048, 4),
        queueTimeoutMs: fc.constantFrom(2_000, 900_000),
        drainTimeoutMs: fc.constantFrom(300, 600_000),
      }),
    ),
  })

const actionWith = ({ policy, reload, reloads }: TraceParts): fc.Arbitrary<Action> =>
  fc.oneof(
    { weight: 24, arbitrary: ask },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('cancel' as const), pick: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('crash' as const), pick: fc.nat(5), stale: rarely }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('end-unasked' as const),
        pick: fc.nat(5),
        drainMs: fc.constantFrom(0, 200, 600_000),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('unload' as const),
        model: fc.oneof({ weight: 3, arbitrary: place }, { weight: 1, arbitrary: fc.constant('all' as const) }),
        drainMs: fc.constantFrom(0, 200, 600_000, 'never' as const),
        force: rarely,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('host-down' as const), host: fc.nat(2), dies: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('host-up' as const), host: fc.nat(2) }) },
    {
      weight: reloads,
      arbitrary: fc.record({ type: fc.constant('reload' as const), reload: reload ?? reloadWith(policy) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('pin' as const), model: place, pinned: fc.boolean() }),
    },
  )

const stepWith = (parts: TraceParts): fc.Arbitrary<Step> =>
  fc.record({
    waitMs: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 150 }) },
      { weight: 1, arbitrary: fc.integer({ min: 151, max: 2_500 }) },
      { weight: 1, arbitrary: fc.integer({ min: 2_500, max: 40_000 }) },
    ),
    action: actionWith(parts),
  })

/**
 * A model that is served and measured is asked for twice more, and between the two something urgent wants its place: what
 * holds and backfill are about, and rare otherwise.
 */
const squeeze: fc.Arbitrary<Step[]> = fc
  .record({ first: ask, wanted: ask, served: fc.nat(1), waitMs: fc.integer({ min: 1_600, max: 4_000 }) })
  .map(({ first, wanted, served, waitMs }) => {
    const plain = { caller: 0, takesSlot: true, passive: false, noLoad: false }
    const patient = { ...first, ...plain, model: served, priority: 0, failures: 0 }
    const urgent = { ...wanted, ...plain, model: 1 - served, priority: 10 }
    return [
      { waitMs: 0, action: patient },
      { waitMs, action: patient },
      { waitMs: 0, action: urgent },
      { waitMs: 0, action: patient },
    ]
  })

/** A model is asked for and unloaded soon, mostly while it loads. */
const recall: fc.Arbitrary<Step[]> = fc
  .record({ wanted: ask, waitMs: fc.integer({ min: 0, max: 300 }) })
  .map(({ wanted, waitMs }) => [
    { waitMs: 0, action: { ...wanted, noLoad: false } },
    { waitMs, action: { type: 'unload', model: wanted.model, drainMs: 0, force: false } },
  ])

/** Random fleets, models, limits, fates and what people and machines do to them. */
export const traces = (parts: TraceParts): fc.Arbitrary<Trace> =>
  fc.record({
    setup: setupWith(parts.policy),
    steps: fc
      .array(
        fc.oneof(
          { weight: 40, arbitrary: stepWith(parts).map((step) => [step]) },
          { weight: 9, arbitrary: squeeze },
          { weight: 1, arbitrary: recall },
        ),
        {
          minLength: 20,
          maxLength: 70,
          size: 'max',
        },
      )
      .map((steps) => steps.flat()),
    snapshotAt: fc.nat(60),
  })
