import { LswapError, type Failure } from '@lswap/core'
import { agentLookSchema } from '@lswap/core/protocol'
import type { AgentEvent, ProcessView } from '../agent.ts'
import type { ForwardTimers } from '../forward/timers.ts'
import { CALL_MS } from './about.ts'
import type { Contact } from './contact.ts'
import type { Epochs } from './epochs.ts'
import type { Exits } from './exits.ts'
import type { Rpc } from './rpc.ts'
import { viewOf } from './views.ts'

export interface LookOptions {
  readonly rpc: Pick<Rpc, 'json'>
  readonly timers: ForwardTimers
  readonly contact: Pick<Contact, 'isUp' | 'tried'>
  readonly epochs: Epochs
  readonly exits: Pick<Exits, 'isGone'>
  /** Why the host can not be used now. */
  readonly failure: () => Failure | undefined
  readonly emit: (event: AgentEvent) => void
}

const AGAIN_MS = 1_000

/** Asks an agent for its processes. */
export const createLook = (options: LookOptions): (() => Promise<readonly ProcessView[]>) => {
  const { rpc, timers, contact, epochs, exits, failure, emit } = options

  /** Whoever got no answer takes the host for lost: it is offered again while it is there. */
  const askAgain = (): void => {
    timers.after(AGAIN_MS, () => {
      if (contact.isUp()) emit({ type: 'host-returned' })
    })
  }

  return async () => {
    await contact.tried
    const why = failure()
    if (why !== undefined) throw new LswapError(why)
    const look = await rpc
      .json({ method: 'GET', path: '/v1/metrics', deadlineMs: CALL_MS }, agentLookSchema)
      .catch((error: unknown) => {
        askAgain()
        throw error
      })
    // An answer that a lost host still gave must not bring it back before it can be used
    const lost = failure()
    if (lost !== undefined) throw new LswapError(lost)
    return look.states.map((state) => viewOf(state, epochs)).filter((view) => !exits.isGone(view))
  }
}
