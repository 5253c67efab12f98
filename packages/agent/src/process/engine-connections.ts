import type { Failure } from '@lswap/core'
import type { Forwarding, ForwardHandler, ForwardRequest } from '../forward/exchange.ts'
import type { EngineTarget } from './target.ts'

/** Every connection of ours to one engine process. */
export interface EngineConnections {
  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
  /** Requests on their way. */
  active(): number
  /** Resolves when no request is on its way. */
  drained(): Promise<void>
  /** Ends every request with the failure, closes every socket and refuses new ones. Idempotent. */
  close(failure: Failure): void
}

export type OpenConnections = (target: EngineTarget) => EngineConnections
