import type { CallerId, ModelId, RequestId } from '../ids.ts'
import type { PrefixChain } from '../pick/prefix/chain.ts'

export type Criticality = 'critical' | 'standard' | 'sheddable'

/** What the scheduler knows of a request. */
export interface Request {
  readonly id: RequestId
  readonly model: ModelId
  /** Higher is more urgent, 0 is normal, negative is batch work; −100…100. */
  readonly priority: number
  readonly criticality: Criticality
  readonly caller: CallerId
  /** How many of the caller's requests may be queued or served at once, at least 1; the rest wait outside the order. Absent: any number. */
  readonly callerLimit?: number
  /** The adapter that was asked for; absent: the model itself. */
  readonly adapter?: string
  /** How its prompt begins, for a picker that goes by that. */
  readonly prefix?: PrefixChain
  /** False for requests that hold the model and take no slot: loads, `/tokenize` and the like. */
  readonly takesSlot: boolean
  /**
   * It looks at the model and takes no slot (`takesSlot` is false): a process that is ready serves it at once, is evicted
   * or unloaded as if it were not there, and the request is closed then. It may load its model unless `noLoad` forbids that.
   */
  readonly passive?: boolean
  /** Never start a swap for it: not ready means `model_not_loaded`. */
  readonly noLoad: boolean
}

/** Whether a request that is served counts: as work of its caller, and as use of the model. */
export const isCounted = ({ passive }: Request): boolean => passive !== true

export type Band = 'urgent' | 'normal' | 'batch'

/** All bands in display order; statistics show each, also when empty. */
export const BANDS: readonly Band[] = ['urgent', 'normal', 'batch']

export const bandOf = (priority: number): Band => {
  if (priority > 0) return 'urgent'
  return priority < 0 ? 'batch' : 'normal'
}
