import type { Failure } from '@lswap/core'
import type { Forwarding, ForwardHandler, ForwardRequest } from '../forward/exchange.ts'
import type { EngineTarget } from './target.ts'

/** Every connection of ours to one engine process. */
export interface EngineConnections {
  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
  /** Requests on their way, without those that are passive. */
  active(): number
  /** Ends those whose end nobody waits for, with this failure. */
  cutPassive(failure: Failure): void
  /** Resolves when no request is on its way that is not passive. */
  drained(): Promise<void>
  /** Ends every request with the failure, closes every socket and refuses new ones. Idempotent. */
  close(failure: Failure): void
}

export type OpenConnections = (target: EngineTarget) => EngineConnections
