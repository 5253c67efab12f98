import type { ModelId, RequestId } from '@lswap/core'
import type { Load } from './load.ts'
import type { Tickets } from './tickets.ts'

export interface LeaveBehindOptions {
  readonly tickets: Tickets
  readonly load: (model: ModelId, priority: number) => Load
}

/**
 * Somebody who can not wait any longer will come back. A load of the model takes its place in the queue meanwhile, one for
 * all who come and go: whoever comes back finds the model ready, or closer to it. Where it is ready the load is over at once.
 */
export const createLeaveBehind = ({ tickets, load }: LeaveBehindOptions): ((id: RequestId) => void) => {
  const left = new Map<ModelId, RequestId>()
  return (id) => {
    const ticket = tickets.get(id)
    if (ticket?.state !== 'waiting' || ticket.request.noLoad) return
    const { model, priority } = ticket.request
    const known = left.get(model)
    if (known !== undefined && tickets.get(known)?.state === 'waiting') return
    left.set(model, load(model, priority).request)
  }
}
