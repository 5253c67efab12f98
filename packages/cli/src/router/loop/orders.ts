import { failureOf, placementKey, type Command, type Failure, type Generation, type HostId } from '@lswap/core'
import type { Placement, PlacementKey, StopOutcome, Swap, SwapResult } from '@lswap/core'
import type { Agent, SwapProgress } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { awaitAnswer } from './await-answer.ts'
import type { EventQueue } from './event-queue.ts'
import type { Fleet } from './fleet.ts'
import type { LoopObserver } from './observer.ts'
import type { OrderLimits } from './order-limits.ts'
import { startPatience } from './patience.ts'

export interface OrdersOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly queue: EventQueue
  readonly fleet: Pick<Fleet, 'lost' | 'unanswered' | 'found' | 'changed'>
  readonly limits: OrderLimits
  readonly clock: Clock
  readonly log: Log
  readonly observer: LoopObserver
}

/** What is ordered from agents. Each order ends in exactly one event, also when an agent breaks its word or says nothing. */
export interface Orders {
  /** `reason`: why nobody asked for it. */
  startSwap(swap: Swap, reason?: 'restore'): void
  abortSwap(generation: Generation): void
  stop(command: Extract<Command, { type: 'stop' }>): void
  /** How far the running swap to a placement is. */
  progressOf(placement: Placement): SwapProgress | undefined
}

interface Running {
  readonly agent: Agent
  /** How long it may take once it is given up. */
  readonly endMs: number
  readonly hasten: (limitMs: number) => void
}

export const createOrders = (options: OrdersOptions): Orders => {
  const { agents, queue, fleet, limits, clock, log, observer } = options
  const running = new Map<Generation, Running>()
  const progresses = new Map<PlacementKey, SwapProgress>()

  const swapOn = async (swap: Swap): Promise<SwapResult> => {
    const { generation, model, host, evict } = swap
    const agent = agents.get(host)
    if (agent === undefined) return brokenSwap(swap, unknownHost(host))
    const key = placementKey(swap)
    const limitMs = limits.swapMs(swap)
    const endMs = limits.stopMs([model, ...evict])
    let isOver = false
    const slow = startPatience(clock, limitMs, () => {
      log.error({ ...fieldsOf(swap), limitMs }, 'the agent does not answer: the swap is given up')
      abortSwap(generation)
    })
    const started = awaitAnswer(
      () =>
        agent.swap(swap, (progress) => {
          if (isOver) return
          progresses.set(key, progress)
          log.debug({ ...fieldsOf(swap), ...progress }, 'swap progresses')
          observer.swapProgressed?.(swap, progress)
        }),
      { clock, limitMs: limitMs + endMs, host, what: `the swap to ${model}`, onLate: () => fleet.found(host) },
    )
    running.set(generation, { agent, endMs, hasten: (ms) => started.hasten(ms) })
    try {
      const told = await started.told
      if (told.type === 'answered') return told.value
      fleet.unanswered(host, told.failure)
      return lostSwap(swap, told.failure)
    } catch (error) {
      log.error({ ...fieldsOf(swap), err: error }, 'bug: an agent threw instead of answering a swap')
      return brokenSwap(swap, failureOf(error))
    } finally {
      isOver = true
      slow.end()
      running.delete(generation)
      progresses.delete(key)
    }
  }

  /** The swap's own result still comes, and decides; its agent may not take long any more. */
  const abortSwap = (number: Generation): void => {
    const found = running.get(number)
    if (found === undefined) return
    found.hasten(found.endMs)
    try {
      found.agent.abort(number)
    } catch (error) {
      log.error({ err: error, generation: number }, 'bug: an agent threw at an abort')
    }
  }

  const carryOut = async (swap: Swap): Promise<void> => {
    const result = await swapOn(swap)
    logSwapEnd(log, swap, result)
    observer.swapEnded?.(swap, result)
    fleet.changed(swap.host)
    queue.post({ type: 'swap-done', generation: swap.generation, result })
  }

  const stopOn = async (
    host: HostId,
    { generation, placements, drainMs }: Extract<Command, { type: 'stop' }>,
    away: { readonly silent: Map<HostId, Failure>; readonly lost: Map<HostId, Failure> },
  ): Promise<readonly StopOutcome[]> => {
    const here = placements.filter((placement) => placement.host === host)
    const agent = agents.get(host)
    if (agent === undefined) return here.map((placement) => stuck(placement, unknownHost(host)))
    const models = here.map(({ model }) => model)
    const limitMs = (drainMs === 'never' ? Infinity : drainMs) + limits.stopMs(models)
    const what = `the stop of ${models.join(', ')}`
    try {
      const { told } = awaitAnswer(() => agent.stop({ generation, models, drainMs }), {
        clock,
        limitMs,
        host,
        what,
        onLate: () => fleet.found(host),
      })
      const answer = await told
      if (answer.type === 'silent') {
        away.silent.set(host, answer.failure)
        return here.map((placement) => stuck(placement, answer.failure))
      }
      const outcomes = answer.value
      const unreached = outcomes.find(({ failure }) => failure?.code === 'host_unreachable')
      if (unreached?.failure !== undefined) away.lost.set(host, unreached.failure)
      return here.map(
        (placement) =>
          outcomes.find((outcome) => outcome.placement.model === placement.model) ?? stuck(placement, UNANSWERED),
      )
    } catch (error) {
      log.error({ err: error, generation, host }, 'bug: an agent threw instead of answering a stop')
      return here.map((placement) => stuck(placement, failureOf(error)))
    }
  }

  const carryOutStop = async (command: Extract<Command, { type: 'stop' }>): Promise<void> => {
    const hosts = [...new Set(command.placements.map(({ host }) => host))]
    const away = { silent: new Map<HostId, Failure>(), lost: new Map<HostId, Failure>() }
    const perHost = await Promise.all(hosts.map((host) => stopOn(host, command, away)))
    const outcomes = perHost.flat()
    observer.stopEnded?.(outcomes)
    for (const host of hosts) fleet.changed(host)
    queue.post({ type: 'stop-done', generation: command.generation, outcomes })
    // After the answer, by which they are stuck: they are there or not, and the host tells when it is back
    for (const [host, failure] of away.silent) fleet.unanswered(host, failure)
    for (const [host, failure] of away.lost) fleet.lost(host, failure)
    // While other hosts took their time, one that was lost may have come back, and said so to nobody who would listen
    for (const host of away.lost.keys()) fleet.found(host)
  }

  return {
    progressOf: (placement) => progresses.get(placementKey(placement)),
    startSwap: (swap, reason) => {
      log.info({ ...fieldsOf(swap), ...(reason === undefined ? {} : { reason }) }, 'swap starts')
      observer.swapStarted?.(swap)
      void carryOut(swap)
    },
    abortSwap,
    stop: (command) => {
      const { generation, placements, reason } = command
      log.info({ generation, placements, reason }, 'stop starts')
      void carryOutStop(command)
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

/** Its host counts as out of reach with all that runs there: that is told when it is back. */
const lostSwap = (swap: Swap, failure: Failure): SwapResult => ({
  outcome: 'failed',
  failure,
  unanswered: true,
  evictions: swap.evict.map((model) => ({ model, outcome: 'kept' })),
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
