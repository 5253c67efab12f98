import type { HostId, MemoryReport } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { withDeadline } from './deadline.ts'
import type { EventQueue } from './event-queue.ts'

/** How late we may learn that other programs take or free memory. */
const LOOK_MS = 1_000
/** An agent answers from memory, and waits only for tools that it has not heard of yet. */
const ANSWER_LIMIT_MS = 4_000
/** What memory may change by before anybody decides otherwise. */
const NOISE_BYTES = 64 * 1_048_576

export interface MemoryOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly clock: Clock
  readonly queue: Pick<EventQueue, 'post'>
  readonly log: Log
  /** Whether it decides anything. */
  readonly isUsed: () => boolean
}

/** Tells the scheduler what models need and may use on each host, where that decides what must go. */
export interface MemoryWatch {
  /** Asks now. Never rejects: of a host that does not tell nothing is known. */
  ask(agent: Agent): Promise<void>
  stop(): void
}

export const watchMemory = ({ agents, clock, queue, log, isUsed }: MemoryOptions): MemoryWatch => {
  // By agent and not by host: of a host that left the configuration and is back the scheduler knows nothing any more
  const told = new WeakMap<Agent, MemoryReport>()
  let cancel: (() => void) | undefined
  let isOver = false

  const ask = async (agent: Agent): Promise<void> => {
    const { host } = agent
    if (agent.memory === undefined || !isUsed()) return
    try {
      const limit = { clock, limitMs: ANSWER_LIMIT_MS, what: `host ${host}` }
      const memory = await withDeadline(agent.memory(), limit)
      if (isOver || memory === undefined || isAlike(told.get(agent), memory)) return
      told.set(agent, memory)
      queue.post({ type: 'fleet-changed', observation: { type: 'memory-seen', host, memory } })
    } catch (error) {
      log.debug({ err: error, host }, 'a host could not tell of its memory')
    }
  }

  const look = async (): Promise<void> => {
    await Promise.all([...agents.values()].map(ask))
    lookLater()
  }

  const lookLater = (): void => {
    if (!isOver) cancel = clock.setTimer(clock.now() + LOOK_MS, () => void look())
  }

  if ([...agents.values()].some(({ memory }) => memory !== undefined)) lookLater()
  return {
    ask,
    stop: () => {
      isOver = true
      cancel?.()
    },
  }
}

const isAlike = (told: MemoryReport | undefined, now: MemoryReport): boolean =>
  told !== undefined &&
  isClose(told.room, now.room) &&
  isClose(told.others, now.others) &&
  JSON.stringify(told.sizes) === JSON.stringify(now.sizes)

const isClose = (told: MemoryReport['room'], now: MemoryReport['room']): boolean =>
  Object.keys(told).length === Object.keys(now).length &&
  Object.entries(now).every(([device, bytes]) => Math.abs(bytes - (told[device] ?? Infinity)) < NOISE_BYTES)
