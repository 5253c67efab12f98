import {
  ANONYMOUS,
  CRITICALITIES,
  criticalityOf,
  type CallerId,
  type Criticality,
  type Failure,
  type KeyConfig,
  type ModelId,
} from '@lswap/core'

/** What the bearer of a key may do with models. */
export interface Rights {
  /** Whose request it is, for limits, fairness and logs. */
  readonly caller: CallerId
  /** How many of its requests may be queued or served at once; undefined: any number. */
  readonly callerLimit: number | undefined
  /** Whether it reaches some models only: then a body must not name two. */
  readonly isRestricted: boolean
  readonly mayUse: (model: ModelId) => boolean
  /** At most as urgent as the key allows. */
  cap<Wish extends Urgency>(wish: Wish): Wish
  /** A key came and was removed from what goes on to the engine. */
  readonly hasKey: boolean
}

export interface Urgency {
  readonly priority: number
  readonly criticality: Criticality
}

/** Where no keys are configured, and for what needs none. */
export const ANYBODY: Rights = {
  caller: ANONYMOUS,
  callerLimit: undefined,
  isRestricted: false,
  mayUse: () => true,
  cap: (wish) => wish,
  hasKey: false,
}

export const rightsOf = ({ name, models, maxPriority, concurrency }: KeyConfig): Rights => {
  const reached = models && new Set(models)
  return {
    caller: name,
    callerLimit: concurrency,
    isRestricted: reached !== undefined,
    mayUse: (model) => reached === undefined || reached.has(model),
    cap: (wish) => (maxPriority === undefined ? wish : { ...wish, ...capped(wish, maxPriority) }),
    hasKey: true,
  }
}

/** Criticality is capped too, by what the highest priority stands for: else it would be a way around. */
const capped = ({ priority, criticality }: Urgency, maxPriority: number): Urgency => {
  const most = criticalityOf({ priority: maxPriority })
  const isOver = CRITICALITIES.indexOf(criticality) < CRITICALITIES.indexOf(most)
  return { priority: Math.min(priority, maxPriority), criticality: isOver ? most : criticality }
}

export const modelForbidden = ({ caller }: Rights, name: string): Failure => ({
  code: 'forbidden',
  message: `The key "${caller}" does not reach the model "${name.slice(0, 120)}".`,
  hint: '`lswap models` or GET /v1/models lists those that it reaches.',
})
