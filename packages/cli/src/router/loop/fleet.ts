import { failureOf, type ChangingProcess, type Failure, type HostId, type ReadyProcess } from '@lswap/core'
import type { Agent, AgentEvent, ProcessView } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import { REPLACED } from '../fleet/hosts.ts'
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
  /** A host has measured. */
  readonly onMeasured?: (agent: Agent) => void
}

/** What the scheduler hears of hosts. */
export interface Fleet {
  /** Resolves when every host was asked what runs there. Never rejects. */
  appear(): Promise<void>
  /** The host's agent did not answer an order: nobody knows what runs there. */
  lost(host: HostId, failure: Failure): void
  /** It did not answer an order in time, and may well be there: it is asked what runs there, until it says so. */
  unanswered(host: HostId, failure: Failure): void
  /** It answered after all: it is asked what runs there. */
  found(host: HostId): void
  /** An order that was given there has ended: a list that was asked for before may be older than that. */
  changed(host: HostId): void
  /** There are other agents than before. */
  agentsChanged(): void
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
/** One that did not, or where a process comes or goes, is asked again after this, then after twice that and so on. */
const FIRST_PROBE_MS = 500
const LONGEST_PROBE_MS = 10_000

/** Subscribes to every agent at once, so that nothing that happens from here on is missed. */
export const joinFleet = (options: FleetOptions): Fleet => {
  const { agents, clock, queue, memory, log, onModels, onMeasured } = options
  const joined = new Map<HostId, { readonly agent: Agent; readonly leave: () => void }>()
  const hear = (agent: Agent, event: AgentEvent): void => {
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
      case 'process-leaving': {
        const { placement, epoch } = event
        changed(agent.host)
        return queue.post({ type: 'fleet-changed', observation: { type: 'process-leaving', placement, epoch } })
      }
      case 'redefined':
        return queue.post({
          type: 'fleet-changed',
          observation: { type: 'redefined', host: agent.host, models: event.models },
        })
      case 'host-lost':
        return lost(agent.host, event.failure)
      case 'host-returned':
        return isOver ? undefined : void greet(agent)
      case 'models-changed':
        return onModels?.()
      case 'sizes-changed':
        return void memory.ask(agent)
      case 'measured':
        return onMeasured?.(agent)
    }
  }
  const join = (agent: Agent): void =>
    void joined.set(agent.host, { agent, leave: agent.subscribe((event) => hear(agent, event)) })
  let isOver = false
  const asking = new Map<HostId, Asking>()
  const probes = new Map<HostId, { readonly pauseMs: number; readonly cancel: () => void }>()
  /** Those that were told to be lost as they could not say what they run. */
  const silent = new Set<HostId>()
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
      // Another agent may have taken its place
      if (asking.get(host) !== look) return
      asking.delete(host)
      const changing = changingOnes(processes)
      queue.post({
        type: 'fleet-changed',
        observation: { type: 'host-appeared', host, ready: readyOnes(processes), changing },
      })
      silent.delete(host)
      // Nobody may tell how that ends: an order that was given up as lost, a stop of the agent's own
      if (changing.length > 0 && !isOver) probe(agent)
      else settled(host)
    } catch (error) {
      if (asking.get(host) !== look) return
      asking.delete(host)
      // Once for each loss, not at each try
      if (!silent.has(host)) lost(host, failureOf(error))
      silent.add(host)
      if (!isOver) probe(agent)
    }
  }
  const settled = (host: HostId): void => {
    probes.get(host)?.cancel()
    probes.delete(host)
  }
  /** A host that could not say what it runs, or where something is under way, is asked again. */
  const probe = (agent: Agent): void => {
    const { host } = agent
    const pauseMs = Math.min((probes.get(host)?.pauseMs ?? FIRST_PROBE_MS / 2) * 2, LONGEST_PROBE_MS)
    probes.get(host)?.cancel()
    probes.set(host, { pauseMs, cancel: clock.setTimer(clock.now() + pauseMs, () => void greet(agent)) })
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
  for (const agent of agents.values()) join(agent)
  return {
    agentsChanged: () => {
      for (const [host, { agent, leave }] of joined) {
        if (agents.get(host) === agent) continue
        leave()
        joined.delete(host)
        asking.delete(host)
        silent.delete(host)
        settled(host)
        // In its place there is another, which runs what it runs
        if (agents.has(host)) lost(host, REPLACED)
        else queue.post({ type: 'fleet-changed', observation: { type: 'host-removed', host } })
      }
      for (const [host, agent] of agents) {
        if (joined.has(host)) continue
        join(agent)
        void greet(agent)
      }
    },
    appear: async () => {
      await Promise.all([...agents.values()].map(greet))
    },
    lost,
    unanswered: (host, failure) => {
      lost(host, failure)
      silent.add(host)
      const agent = agents.get(host)
      if (agent !== undefined && !isOver) probe(agent)
    },
    changed,
    found: (host) => {
      const agent = agents.get(host)
      if (agent !== undefined && !isOver) void greet(agent)
    },
    leave: () => {
      isOver = true
      for (const { leave } of joined.values()) leave()
      for (const { cancel } of probes.values()) cancel()
    },
  }
}

const readyOnes = (processes: readonly ProcessView[]): readonly ReadyProcess[] =>
  processes.flatMap(({ model, phase, epoch, slots, processHash }) =>
    phase === 'ready' && epoch !== undefined
      ? [
          {
            model,
            epoch,
            ...(slots === undefined ? {} : { slots }),
            ...(processHash === undefined ? {} : { processHash }),
          },
        ]
      : [],
  )

const changingOnes = (processes: readonly ProcessView[]): readonly ChangingProcess[] =>
  processes.flatMap(({ model, phase, epoch }) =>
    (phase === 'starting' || phase === 'stopping') && epoch !== undefined ? [{ model, epoch }] : [],
  )
