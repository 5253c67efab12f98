import type { ModelId, Placement, PlacementKey } from '../ids.ts'
import { leastLoaded } from '../pick/least-loaded.ts'
import type { PickAnswer, Picker, RandomSource } from '../pick/picker.ts'
import type { Command } from './commands.ts'
import { DEFAULT_SLOTS, type ModelPolicy, type SchedulerOptions } from './options.ts'
import { placementOf, type State } from './state/state.ts'
import type { PlacementState } from './state/placement.ts'

/** The options with their models by id, and the picker made. */
export interface Rules {
  readonly options: SchedulerOptions
  readonly models: ReadonlyMap<ModelId, ModelPolicy>
  /** Those that come back by themselves. */
  readonly restored: readonly ModelPolicy[]
  readonly picker: Picker<PickAnswer>
  /** Per model its placements, filled when first asked for: every look at a model needs them. */
  readonly placements: Map<ModelId, readonly PlacementState[]>
}

export const rulesOf = (options: SchedulerOptions, random: RandomSource): Rules => {
  const { models, picker = leastLoaded } = options
  return {
    options,
    models: new Map(models.map((model) => [model.id, model])),
    restored: models.filter(({ restoreMs }) => restoreMs !== undefined),
    picker: typeof picker === 'function' ? picker(random) : picker,
    placements: new Map(),
  }
}

/** One event being decided: the state, the rules, and the commands so far. */
export interface Turn {
  readonly state: State
  readonly rules: Rules
  readonly now: number
  readonly commands: Command[]
  /** Placements whose drain somebody was found waiting for in this turn; undefined: none. */
  draining: Set<PlacementKey> | undefined
}

export const openTurn = (state: State, rules: Rules, now: number): Turn => {
  // The loop's clock may be read late; time never runs backwards in here.
  state.now = Math.max(state.now, now)
  return { state, rules, now: state.now, commands: [], draining: undefined }
}

/** The placements that the config allows for a model, in its order of hosts. */
export const placementsOf = ({ state, rules }: Turn, { id, hosts }: ModelPolicy): readonly PlacementState[] => {
  const known = rules.placements.get(id)
  if (known !== undefined) return known
  const found = hosts.map((host) => placementOf(state, { model: id, host }))
  rules.placements.set(id, found)
  return found
}

export const isHostUp = (turn: Turn, placement: Placement): boolean => turn.state.hosts.get(placement.host) === true

/** Whether the config allows a process there. */
export const isConfigured = ({ rules }: Turn, { model, host }: Placement): boolean =>
  rules.models.get(model)?.hosts.includes(host) === true

/** Slots of a replica: what the config says, else what the engine told, else the default. */
export const slotsOf = (policy: ModelPolicy, told: number | undefined): number =>
  policy.concurrencyLimit ?? told ?? DEFAULT_SLOTS
