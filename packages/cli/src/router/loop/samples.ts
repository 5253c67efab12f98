import type { EndpointMetrics, HostId, PlacementKey } from '@lswap/core'
import { epoch, modelId, placementKey } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { withDeadline } from './deadline.ts'
import type { EventQueue } from './event-queue.ts'

/** Agents decide themselves how often they ask an engine; this is how late we may learn of it. */
const LOOK_MS = 500
/** An agent answers from memory, and waits only for tools that it has not heard of yet; one that does not stops no other's turn. */
const ANSWER_LIMIT_MS = 4_000

export interface SamplesOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly clock: Clock
  readonly queue: Pick<EventQueue, 'post'>
  readonly log: Log
}

export interface SamplesWatch {
  /** It has news: it is asked now, not only when it is its turn. */
  ask(agent: Agent): void
  stop(): void
}

/**
 * Tells the scheduler what engines tell of themselves. Only with several hosts, where a picker has a choice: asking an engine is
 * not free for it.
 */
export const watchSamples = ({ agents, clock, queue, log }: SamplesOptions): SamplesWatch => {
  const told = new Map<PlacementKey, number>()
  let cancel: (() => void) | undefined
  let isOver = false

  const ask = async (agent: Agent): Promise<void> => {
    const { host } = agent
    if (agent.metrics === undefined) return
    const limit = { clock, limitMs: ANSWER_LIMIT_MS, what: `host ${host}` }
    const measured = await withDeadline(agent.metrics(), limit)
    for (const process of measured?.processes ?? []) {
      const { engine } = process
      if (isOver || engine === null || process.epoch === null) continue
      const placement = { model: modelId(process.model), host }
      const key = placementKey(placement)
      if (told.get(key) === engine.sampledAt) continue
      told.set(key, engine.sampledAt)
      const sample: EndpointMetrics = engine
      const observation = { type: 'sampled', placement, epoch: epoch(process.epoch), metrics: sample } as const
      queue.post({ type: 'fleet-changed', observation })
    }
  }

  const look = async (): Promise<void> => {
    if (agents.size > 1) {
      await Promise.all([...agents.values()].map(tryAsk))
    }
    lookLater()
  }

  const tryAsk = (agent: Agent): Promise<void> =>
    ask(agent).catch((error: unknown) => log.debug({ err: error, host: agent.host }, 'a host could not measure'))

  const lookLater = (): void => {
    if (!isOver) cancel = clock.setTimer(clock.now() + LOOK_MS, () => void look())
  }

  if ([...agents.values()].some(({ metrics }) => metrics !== undefined)) lookLater()
  return {
    ask: (agent) => {
      if (agents.size > 1 && !isOver) void tryAsk(agent)
    },
    stop: () => {
      isOver = true
      cancel?.()
    },
  }
}
