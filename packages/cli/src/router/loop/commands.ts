import { failureOf, type Command, type Failure, type RequestId } from '@lswap/core'
import type { HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Log } from '../log.ts'
import type { EventQueue } from './event-queue.ts'
import type { Orders } from './orders.ts'
import type { Ticket, Tickets } from './tickets.ts'
import type { Unloads } from './unloads.ts'

export interface CommandsOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly tickets: Tickets
  readonly unloads: Pick<Unloads, 'answer'>
  readonly orders: Orders
  readonly queue: EventQueue
  readonly log: Log
  /** Called with a request that was granted, before it is told. */
  readonly onGranted: (ticket: Ticket) => void
  /** Called with a request that ends without a grant, while the scheduler may still tell its timeline. */
  readonly onRejected: (ticket: Ticket, failure: Failure) => void
}

/** Carries out one command. Never throws: what fails becomes the event that ends it. */
export const createCarryOut = (options: CommandsOptions): ((command: Command) => void) => {
  const { agents, tickets, unloads, orders, queue, log, onGranted, onRejected } = options

  const giveBack = (ticket: Ticket): void => {
    ticket.state = 'ended'
    queue.post({ type: 'serve-done', request: ticket.request.id, outcome: 'done' })
  }

  const grant = ({ request, placement, epoch }: Extract<Command, { type: 'grant' }>): void => {
    const ticket = tickets.get(request)
    if (ticket === undefined) {
      log.error({ request, placement }, 'bug: grant for a request that is not known')
      queue.post({ type: 'serve-done', request, outcome: 'done' })
      return
    }
    ticket.state = 'granted'
    ticket.placement = placement
    onGranted(ticket)
    const agent = agents.get(placement.host)
    if (ticket.isGone) giveBack(ticket)
    else if (agent === undefined) {
      giveBack(ticket)
      tell(ticket, { code: 'host_unreachable', message: `No agent is known for the host "${placement.host}".` })
    } else {
      try {
        ticket.waiter.granted({ request, placement, epoch, agent })
      } catch (error) {
        log.error({ err: error, request }, 'bug: a granted request could not be taken on')
        // It may have given the grant back before it threw
        if (stateOf(ticket) !== 'granted') return
        giveBack(ticket)
        tell(ticket, failureOf(error))
      }
    }
  }

  const reject = (request: RequestId, failure: Failure): void => {
    const ticket = tickets.get(request)
    if (ticket === undefined) {
      log.error({ request, failure }, 'bug: reject of a request that is not known')
      return
    }
    onRejected(ticket, failure)
    ticket.state = 'ended'
    tickets.delete(request)
    if (!ticket.isGone) tell(ticket, failure)
  }

  const close = (request: RequestId, failure: Failure): void => {
    const ticket = tickets.get(request)
    // It may have ended meanwhile, or go back to the queue
    if (ticket?.state !== 'granted') return
    try {
      ticket.waiter.closed?.(failure)
    } catch (error) {
      log.error({ err: error, request }, 'bug: a request could not be closed')
    }
  }

  const tell = (ticket: Ticket, failure: Failure): void => {
    try {
      ticket.waiter.rejected(failure)
    } catch (error) {
      log.error({ err: error, request: ticket.request.id }, 'bug: a rejected request could not be told')
    }
  }

  return (command) => {
    switch (command.type) {
      case 'grant':
        return grant(command)
      case 'reject':
        return reject(command.request, command.failure)
      case 'close':
        return close(command.request, command.failure)
      case 'start-swap':
        return orders.startSwap(command.swap, command.reason)
      case 'abort-swap':
        return orders.abortSwap(command.generation)
      case 'stop':
        return orders.stop(command)
      case 'answer-unload':
        return unloads.answer(command.unload, command.outcomes)
    }
  }
}

/** Read anew: a callback may have changed it. */
const stateOf = (ticket: Ticket): Ticket['state'] => ticket.state
