import type { ModelId, RequestId } from '../ids.ts'
import type { Request } from './request.ts'
import type { Turn } from './turn.ts'

/** What distinguishes one scheduler from another: the order, and who is served when. The rules around it are shared. */
export interface Policy {
  /** Order inside a model, higher first; fixed while the request waits. */
  rankOf(turn: Turn, request: Request): number
  /** Something changed that may help anybody. */
  walk(turn: Turn): void
  /** Something changed that can only help this model's waiters. */
  serveModel(turn: Turn, model: ModelId): void
  /** When time alone changes what `walk` would do. */
  nextChange(turn: Turn): number | undefined
  /** Place in the order of dispatch, 1 first. */
  positionOf(turn: Turn, request: RequestId): number | undefined
}
