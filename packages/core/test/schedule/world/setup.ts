import assert from 'node:assert/strict'
import {
  DEFAULT_LIMITS,
  exclusive,
  group,
  hostId,
  leastLoaded,
  matrix,
  memory,
  modelId,
  parseSets,
  type DrainLimit,
  type HostId,
  type ModelId,
  type ModelPolicy,
  type ModelSize,
  type PolicySettings,
  type SchedulerLimits,
  type SchedulerOptions,
  type Swapper,
} from '../../../src/index.ts'

/** What an agent makes of one order. */
export interface Fate {
  readonly result: 'ready' | 'failed' | 'oom' | 'refused'
  readonly stopMs: number
  readonly loadMs: number
  /** The first process that has to end does not. */
  readonly sticks: boolean
  /** When one that did not end ends after all. */
  readonly lingerMs: number
  /** An abort comes too late: it gets ready all the same. */
  readonly survivesAbort: boolean
  /** Slots that the engine reports. */
  readonly slots: number
}

export interface ModelSetup {
  readonly hosts: readonly number[]
  readonly slots: number | undefined
  readonly priority: number
  readonly pinned: boolean
  readonly queueLimit: number
  readonly idleMs: number | undefined
  readonly restoreMs: number | undefined
}

/** What a reload changes, by place in the list of models. */
export interface Reload {
  readonly removed: number | undefined
  readonly pinned: number | undefined
  readonly newCommand: number | undefined
  /** Something that matters at starts only. */
  readonly newStart?: number | undefined
  readonly slots?: { readonly model: number; readonly count: number } | undefined
  readonly swapper?: SwapperSetup | undefined
  readonly limits?: Partial<SchedulerLimits> | undefined
  readonly policy: PolicySettings | undefined
}

export interface Setup {
  readonly hosts: number
  readonly models: readonly ModelSetup[]
  readonly swapper: SwapperSetup
  /** How many requests each caller with a key may have under way. */
  readonly callerLimit: number | undefined
  readonly limits: Partial<SchedulerLimits>
  readonly policy: PolicySettings
  readonly fates: readonly Fate[]
}

export type SwapperSetup =
  | { readonly use: 'exclusive' }
  | { readonly use: 'group'; readonly swap: boolean; readonly exclusive: boolean; readonly persistent: boolean }
  /** One set, an expression over the models. */
  | { readonly use: 'matrix'; readonly set: string }
  /** Sizes by place in the list of models; undefined: nobody knows. */
  | { readonly use: 'memory'; readonly sizes: readonly (number | undefined)[]; readonly room: number }

export type Action =
  | {
      readonly type: 'ask'
      readonly model: number
      /** 0: without a key. */
      readonly caller: number
      readonly priority: number
      readonly takesSlot: boolean
      /** It only looks, and so takes no slot. */
      readonly passive: boolean
      readonly noLoad: boolean
      readonly serveMs: number
      /** Attempts that end before any answer. */
      readonly failures: number
      /** How long after its process ended its stream does. */
      readonly cutMs: number
    }
  | { readonly type: 'cancel'; readonly pick: number }
  | { readonly type: 'pin'; readonly model: number; readonly pinned: boolean }
  | { readonly type: 'crash'; readonly pick: number; readonly stale: boolean }
  | { readonly type: 'end-unasked'; readonly pick: number; readonly drainMs: DrainLimit }
  | { readonly type: 'unload'; readonly model: number | 'all'; readonly drainMs: DrainLimit; readonly force: boolean }
  | { readonly type: 'host-down'; readonly host: number; readonly dies: boolean }
  | { readonly type: 'host-up'; readonly host: number }
  | { readonly type: 'reload'; readonly reload: Reload }

export interface Step {
  readonly waitMs: number
  readonly action: Action
}

export interface Trace {
  readonly setup: Setup
  readonly steps: readonly Step[]
  /** Before this step the scheduler gets a twin that was restored from its snapshot. */
  readonly snapshotAt: number
}

export const hostAt = (place: number): HostId => hostId(`h${place + 1}`)
export const modelAt = (place: number): ModelId => modelId(String.fromCodePoint(65 + place))

const swapperOf = (setup: SwapperSetup): Swapper => {
  switch (setup.use) {
    case 'exclusive':
      return exclusive
    case 'group':
      // The first two models are the group; the others are in none.
      return group([{ id: 'g', members: [modelAt(0), modelAt(1)], ...setup }])
    case 'matrix':
      return matrixOf(setup.set)
    case 'memory':
      return memory({ sizeOf: (model) => sizeOf(setup, model), budgetOf: () => new Map([['gpu', setup.room]]) })
    default:
      return setup satisfies never
  }
}

const matrixOf = (set: string): Swapper => {
  const reading = parseSets({ sets: new Map([['all', set]]), model: (name) => modelId(name) })
  assert.ok(reading.ok, `no set: ${set}`)
  return matrix({ sets: reading.sets, evictCosts: new Map() })
}

const sizeOf = ({ sizes }: Extract<SwapperSetup, { use: 'memory' }>, model: ModelId): ModelSize | undefined => {
  const bytes = sizes[sizes.findIndex((_, place) => modelAt(place) === model)]
  return bytes === undefined ? undefined : { bytes, source: 'declared' }
}

const NOTHING: Reload = { removed: undefined, pinned: undefined, newCommand: undefined, policy: undefined }

const slotsOf = (slots: number | undefined): Pick<ModelPolicy, 'concurrencyLimit'> =>
  slots === undefined ? {} : { concurrencyLimit: slots }

const policyOf = (model: ModelSetup, place: number, reload: Reload): ModelPolicy => ({
  id: modelAt(place),
  hosts: model.hosts.map((host) => hostAt(host)),
  commandHash: `${reload.newCommand === place ? 'new' : 'old'} ${reload.newStart === place ? 'new' : 'old'}`,
  processHash: reload.newCommand === place ? 'new' : 'old',
  ...slotsOf(reload.slots?.model === place ? reload.slots.count : model.slots),
  ...(model.idleMs === undefined ? {} : { idleMs: model.idleMs }),
  ...(model.restoreMs === undefined ? {} : { restoreMs: model.restoreMs }),
  queueLimit: model.queueLimit,
  priority: model.priority,
  pinned: reload.pinned === place || model.pinned,
})

export const optionsOf = (setup: Setup, reload: Reload = NOTHING): SchedulerOptions => ({
  policy: reload.policy ?? setup.policy,
  models: setup.models
    .map((model, place) => policyOf(model, place, reload))
    .filter((_, place) => place !== reload.removed),
  limits: { ...DEFAULT_LIMITS, ...setup.limits, ...reload.limits },
  swapper: swapperOf(reload.swapper ?? setup.swapper),
  picker: leastLoaded,
})
