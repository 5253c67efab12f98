import type { Journal } from './journal.ts'
import type { FakeOptions } from './options.ts'
import type { SlotCache } from './slot-cache.ts'
import type { Slots } from './slots.ts'

export interface Counters {
  promptTokens: number
  promptMs: number
  predictedTokens: number
  predictedMs: number
  decodes: number
}

/** What the parts of one simulated engine share. */
export interface Engine {
  readonly options: FakeOptions
  /** The name in answers: the alias, else the path of the model. */
  readonly name: string
  /** Of one slot. */
  readonly contextTokens: number
  readonly journal: Journal
  readonly log: (line: string) => void
  readonly slots: Slots
  readonly cache: SlotCache
  readonly counters: Counters
  /** Aborted by the first request to stop: no token comes after that, as with the real engine. */
  readonly halt: AbortSignal
  ready: boolean
  /** Requests being answered, probes not counted. */
  inFlight: number
  /** Ends the process now and writes it into the journal. */
  readonly exit: (code: number, reason: string) => never
}
