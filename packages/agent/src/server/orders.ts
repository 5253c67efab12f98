import type { DrainLimit, Failure, Generation, ModelId, SwapResult } from '@lswap/core'
import { LswapError, modelId } from '@lswap/core'
import type { StopOutcome } from '@lswap/core'
import type { abortOrderSchema, stopOrderSchema, SwapLine, swapOrderSchema } from '@lswap/core/protocol'
import type * as z from 'zod'
import type { Agent } from '../agent.ts'
import type { ForwardTimers } from '../forward/timers.ts'
import { createLedger } from './ledger.ts'
import { createRunningSwaps, progressLine, resultLine } from './running-swaps.ts'
import type { Terms } from './terms.ts'

export interface OrdersOptions {
  readonly agent: Agent
  /** The models that it can run. */
  readonly models: () => readonly ModelId[]
  readonly terms: Terms
  readonly timers: ForwardTimers
}

/** What routers and people order from this agent. All of them throw what refuses the order, before anything is done. */
export interface AgentOrders {
  /** Calls back with each step and at last with the result, never before this returned. The same order again joins the first. */
  swap(order: z.infer<typeof swapOrderSchema>): Following
  /** Resolves when the load has ended, which decides what became of it. */
  abort(order: z.infer<typeof abortOrderSchema>): Promise<void>
  stop(order: z.infer<typeof stopOrderSchema>): Promise<readonly StopOutcome[]>
  /** The agent's own: it does not ask whether a router is there. */
  end(models: readonly ModelId[], drainMs: DrainLimit): Promise<readonly StopOutcome[]>
  /** Takes the host over: what earlier routers have begun to load is given up first, so that what runs is what is told. */
  claim(claimant?: string): Promise<number>
}

export interface Following {
  /** Returns what ends the listening. The swap goes on without listeners too. */
  readonly listen: (onLine: (line: SwapLine) => void) => () => void
  readonly over: Promise<SwapLine>
}

export const createAgentOrders = ({ agent, models, terms, timers }: OrdersOptions): AgentOrders => {
  const ledger = createLedger(terms)
  const swaps = createRunningSwaps()

  const endpointOf = async (model: ModelId): Promise<string | null> =>
    (await agent.processes()).find((view) => view.model === model)?.url ?? null

  const lineOf = async (model: ModelId, result: SwapResult): Promise<SwapLine> =>
    resultLine(result, result.outcome === 'ready' ? await endpointOf(model) : null)

  /** Ends a load and waits for the end of it. */
  const giveUp = async (number: Generation): Promise<void> => {
    agent.abort(number)
    await swaps.find(number)?.result
  }

  const isKnown = (model: ModelId): boolean => models().includes(model)

  return {
    swap: (order) => {
      const model = modelId(order.model)
      const evict = order.evict.map(modelId)
      if (!isKnown(model)) throw new LswapError(unknown(model))
      const number = ledger.admit(order, [model, ...evict])
      const isNew = swaps.find(number) === undefined
      const swap = swaps.track(number, order.term, (onProgress) =>
        agent.swap({ generation: number, model, host: agent.host, evict }, onProgress),
      )
      if (isNew && order.deadlineMs !== undefined) {
        const cancel = timers.after(order.deadlineMs, () => agent.abort(number))
        void swap.result.finally(cancel)
      }
      return {
        listen: (onLine) => swap.follow((progress) => onLine(progressLine(progress))),
        over: swap.result.then((result) => lineOf(model, result)),
      }
    },
    abort: async ({ term, seq, of }) => {
      if (seq <= of) throw new LswapError(NOT_LATER)
      const number = ledger.giveUp(term, of)
      if (number !== undefined) await giveUp(number)
    },
    stop: async (order) => {
      const targets = order.models === '*' ? models() : order.models.map(modelId)
      const missing = targets.find((model) => !isKnown(model))
      // A model that has left the file may still have a process, which somebody wants to end
      if (missing !== undefined && order.term === undefined) throw new LswapError(unknown(missing))
      const generation = ledger.admit(order, targets)
      return agent.stop({ generation, models: targets, drainMs: order.timeoutMs })
    },
    end: (gone, drainMs) => agent.stop({ generation: ledger.own(), models: gone, drainMs }),
    claim: async (claimant) => {
      const term = await terms.claim(claimant)
      await Promise.all(swaps.before(term).map(([number]) => giveUp(number)))
      return term
    },
  }
}

const unknown = (model: ModelId): Failure => ({ code: 'model_not_found', message: `this host has no model ${model}` })
const NOT_LATER: Failure = { code: 'superseded', message: 'an abort has a higher number than what it gives up' }
