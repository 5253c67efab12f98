import { failureOf, placementKey, type Command, type Failure, type Generation, type HostId } from '@lswap/core'
import type { Placement, PlacementKey, StopOutcome, Swap, SwapResult } from '@lswap/core'
import type { Agent, SwapProgress } from '@lswap/agent'
import type { Log } from '../log.ts'
import type { EventQueue } from './event-queue.ts'
import type { LoopObserver } from './observer.ts'

export interface OrdersOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly queue: EventQueue
  readonly log: Log
  readonly observer: LoopObserver
}

/** What is ordered from agents. Each order ends in exactly one event, also when an agent breaks its word. */
export interface Orders {
  startSwap(swap: Swap): void
  abortSwap(generation: Generation): void
  stop(command: Extract<Command, { type: 'stop' }>): void
  /** How far the running swap to a placement is. */
  progressOf(placement: Placement): SwapProgress | undefined
}

export const createOrders = ({ agents, queue, log, observer }: OrdersOptions): Orders => {
  const running = new Map<Generation, Agent>()
  const progresses = new Map<PlacementKey, SwapProgress>()

  const swapOn = async (swap: Swap): Promise<SwapResult> => {
    const agent = agents.get(swap.host)
    if (agent === undefined) return brokenSwap(swap, unknownHost(swap.host))
    running.set(swap.generation, agent)
    const key = placementKey(swap)
    try {
      return await agent.swap(swap, (progress) => {
        progresses.set(key, progress)
        log.debug({ ...fieldsOf(swap), ...progress }, 'swap progresses')
        observer.swapProgressed?.(swap, progress)
      })
    } catch (error) {
      log.error({ ...fieldsOf(swap), err: error }, 'bug: an agent threw instead of answering a swap')
      return brokenSwap(swap, failureOf(error))
    } finally {
      running.delete(swap.generation)
      progresses.delete(key)
    }
  }

  const carryOut = async (swap: Swap): Promise<void> => {
    const result = await swapOn(swap)
    logSwapEnd(log, swap, result)
    observer.swapEnded?.(swap, result)
    queue.post({ type: 'swap-done', generation: swap.generation, result })
  }

  const stopOn = async (
    host: HostId,
    { generation, placements, drainMs }: Extract<Command, { type: 'stop' }>,
  ): Promise<readonly StopOutcome[]> => {
    const here = placements.filter((placement) => placement.host === host)
    const agent = agents.get(host)
    if (agent === undefined) return here.map((placement) => stuck(placement, unknownHost(host)))
    try {
      const outcomes = await agent.stop({ generation, models: here.map(({ model }) => model), drainMs })
      return here.map(
        (placement) =>
          outcomes.find((outcome) => outcome.placement.model === placement.model) ?? stuck(placement, UNANSWERED),
      )
    } catch (error) {
      log.error({ err: error, generation, host }, 'bug: an agent threw instead of answering a stop')
      return here.map((placement) => stuck(placement, failureOf(error)))
    }
  }

  return {
    progressOf: (placement) => progresses.get(placementKey(placement)),
    startSwap: (swap) => {
      log.info(fieldsOf(swap), 'swap starts')
      observer.swapStarted?.(swap)
      void carryOut(swap)
    },
    abortSwap: (generation) => {
      try {
        running.get(generation)?.abort(generation)
      } catch (error) {
        // The swap's own result still comes, and decides
        log.error({ err: error, generation }, 'bug: an agent threw at an abort')
      }
    },
    stop: (command) => {
      const { generation, placements, reason } = command
      log.info({ generation, placements, reason }, 'stop starts')
      const hosts = [...new Set(placements.map((placement) => placement.host))]
      void Promise.all(hosts.map((host) => stopOn(host, command))).then((perHost) => {
        const outcomes = perHost.flat()
        observer.stopEnded?.(outcomes)
        return queue.post({ type: 'stop-done', generation, outcomes })
      })
    },
  }
}

const UNANSWERED: Failure = { code: 'internal', message: 'The agent did not say what became of the process.' }

const unknownHost = (host: HostId): Failure => ({
  code: 'host_unreachable',
  message: `No agent is known for the host "${host}".`,
})

const stuck = (placement: Placement, failure: Failure): StopOutcome => ({ placement, outcome: 'stuck', failure })

/** Nobody knows what became of the processes: they count as there, so that nothing is started beside them. */
const brokenSwap = (swap: Swap, failure: Failure): SwapResult => ({
  outcome: 'failed',
  failure,
  evictions: swap.evict.map((model) => ({ model, outcome: 'stuck', failure })),
  timings: { stopMs: 0, memoryMs: 0, loadMs: 0 },
})

/** Flat: a person reads them in one line. */
const fieldsOf = ({ generation, model, host, evict }: Swap) => ({ generation, model, host, evict })

const tenths = (ms: number): number => Math.round(ms * 10) / 10

const logSwapEnd = (log: Log, swap: Swap, result: SwapResult): void => {
  const { stopMs, memoryMs, loadMs } = result.timings
  const timings = { stopMs: tenths(stopMs), memoryMs: tenths(memoryMs), loadMs: tenths(loadMs) }
  const fields = { ...fieldsOf(swap), outcome: result.outcome, ...timings }
  if (result.outcome !== 'failed') log.info(fields, 'swap ended')
  else log.warn({ ...fields, code: result.failure.code, reason: result.failure.message }, 'swap failed')
}
