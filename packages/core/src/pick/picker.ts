import type { Placement } from '../ids.ts'
import type { Request } from '../schedule/request.ts'

/** A ready replica with a free slot, as the picker sees it. */
export interface Endpoint {
  readonly placement: Placement
  readonly inFlight: number
  readonly slots: number
}

export interface Pick {
  readonly chosen: Endpoint
  readonly reason: string
}

/** Chooses which of several ready replicas serves a request; `endpoints` is never empty and in host order. */
export interface Picker {
  readonly name: string
  pick(request: Request, endpoints: readonly Endpoint[]): Pick
}
