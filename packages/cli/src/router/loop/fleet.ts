import { failureOf, type Failure, type HostId, type ReadyProcess } from '@lswap/core'
import type { Agent, ProcessView } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { withDeadline } from './deadline.ts'
import type { EventQueue } from './event-queue.ts'
import type { MemoryWatch } from './memory.ts'

export interface FleetOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly clock: Clock
  readonly queue: EventQueue
  readonly memory: Pick<MemoryWatch, 'ask'>
  readonly log: Log
  /** A host has other models than before. */
  readonly onModels?: (() => void) | undefined
}

/** What the scheduler hears of hosts. */
export interface Fleet {
  /** Resolves when every host was asked what runs there. Never rejects. */
  appear(): Promise<void>
  /** The host's agent did not answer an order: nobody knows what runs there. */
  lost(host: HostId, failure: Failure): void
  /** It answered after all: it is asked what runs there. */
  found(host: HostId): void
  /** An order that was given there has ended: a list that was asked for before may be older than that. */
  changed(host: HostId): void
  leave(): void
}

/** A list of what runs on a host that is on its way. */
interface Asking {
  /** Something happened since it was asked for. */
  isStale: boolean
  done: Promise<void>
}

/** An agent tells what it runs from memory; one that does not is not there. */
const APPEAR_LIMIT_MS = 5_000

/** Subscribes to every agent at once, so that nothing that happens from here on is missed. */
export const joinFleet = ({ agents, clock, queue, memory, log, onModels }: FleetOptions): Fleet => {
  const leaves = [...agents.values()].map((agent) =>
    agent.subscribe((event) => {
      switch (event.type) {
        case 'process-exited': {
          const { placement, epoch, failure } = event
          changed(agent.host)
          log.warn({ placement, epoch, failure }, 'a process ended on its own')
          return queue.post({
            type: 'fleet-changed',
            observation: { type: 'process-exited', placement, epoch, failure },
          })
        }
        case 'host-lost':
          return lost(agent.host, event.failure)
        case 'host-returned':
          return isOver ? undefined : void greet(agent)
        case 'models-changed':
          return onModels?.()
        case 'sizes-changed':
          return undefined
      }
    }),
  )
  let isOver = false
  const asking = new Map<HostId, Asking>()
  const changed = (host: HostId): void => {
    const look = asking.get(host)
    if (look !== undefined) look.isStale = true
  }
  const lost = (host: HostId, failure: Failure): void => {
    log.error({ host, failure }, 'the host does not answer')
    queue.post({ type: 'fleet-changed', observation: { type: 'host-vanished', host, failure } })
  }
  const listOf = (agent: Agent): Promise<readonly ProcessView[]> =>
    withDeadline(agent.processes(), { clock, limitMs: APPEAR_LIMIT_MS, what: `host ${agent.host}` })
  /**
   * What is not on the list counts as gone, and what is on it as there. Lists and the ends of orders come on different ways, so one that was
   * asked for before such an end says nothing: a model that became ready meanwhile would get a second process, one that was stopped would be
   * asked for ever.
   */
  const askOf = async (agent: Agent, look: Asking): Promise<void> => {
    const { host } = agent
    try {
      let processes: readonly ProcessView[]
      do {
        look.isStale = false
        // Before it is used: the first decisions are to know what fits there
        processes = (await Promise.all([listOf(agent), memory.ask(agent)]))[0]
      } while (look.isStale)
      asking.delete(host)
      queue.post({ type: 'fleet-changed', observation: { type: 'host-appeared', host, ready: readyOnes(processes) } })
    } catch (error) {
      asking.delete(host)
      lost(host, failureOf(error))
    }
  }
  const greet = (agent: Agent): Promise<void> => {
    changed(agent.host)
    const running = asking.get(agent.host)
    if (running !== undefined) return running.done
    const look: Asking = { isStale: false, done: Promise.resolve() }
    asking.set(agent.host, look)
    look.done = askOf(agent, look)
    return look.done
  }
  return {
    appear: async () => {
      await Promise.all([...agents.values()].map(greet))
    },
    lost,
    changed,
    found: (host) => {
      const agent = agents.get(host)
      if (agent !== undefined && !isOver) void greet(agent)
    },
    leave: () => {
      isOver = true
      for (const leave of leaves) leave()
    },
  }
}

const readyOnes = (processes: readonly ProcessView[]): readonly ReadyProcess[] =>
  processes.flatMap(({ model, phase, epoch, slots }) =>
    phase === 'ready' && epoch !== undefined ? [{ model, epoch, ...(slots === undefined ? {} : { slots }) }] : [],
  )
