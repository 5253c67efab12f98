import { epoch, type Generation, type HostId, type ModelId, type Placement } from '../ids.ts'
import type { Command } from '../schedule/commands.ts'
import type { ReadyProcess, StopDone, SwapDone } from '../schedule/events.ts'
import type { StopOutcome, Swap, SwapResult } from '../schedule/swap.ts'
import type { Fleet } from './fleet.ts'
import { newHost, processOn, type Host, type Process } from './host.ts'

export type Answer = Omit<SwapDone, 'now'> | Omit<StopDone, 'now'>

export interface AgentsOptions {
  readonly fleet: Fleet
  readonly startsAt: number
  readonly now: () => number
  /** Has `ended`, or `loaded`, called with the process at that time. */
  readonly announce: (what: 'ended' | 'loaded', at: number, process: Process) => void
  /** The process is told to go while it serves: what it runs ends now. */
  readonly cut: (process: Process) => void
}

/** How often each model was loaded, and what for. */
export interface LoadCount {
  loads: number
  /** Loads that served at least one request. */
  useful: number
}

/** The agents of a simulated fleet: they do as they are told, and everything takes its time. */
export interface Agents {
  readonly loads: ReadonlyMap<ModelId, LoadCount>
  processAt(placement: Placement): Process
  /** It runs from the beginning. */
  begin(placement: Placement): ReadyProcess
  startSwap(swap: Swap): void
  abort(generation: Generation): void
  stop(order: Extract<Command, { type: 'stop' }>): void
  /** What the scheduler must hear of it. */
  ended(process: Process): readonly Answer[]
  loaded(process: Process): readonly Answer[]
  granted(process: Process): void
  idleMs(now: number): number
  servedByHost(): Readonly<Record<string, number>>
}

interface SwapOrder {
  readonly type: 'swap'
  readonly swap: Swap
  readonly target: Process
  readonly startedAt: number
  /** Processes that must end before it goes on. */
  readonly waitsFor: Set<Process>
  loadsFrom: number | undefined
  aborted: boolean
}

interface StopOrder {
  readonly type: 'stop'
  readonly generation: Generation
  readonly placements: readonly Placement[]
  readonly hosts: readonly Host[]
  readonly waitsFor: Set<Process>
}

export const createAgents = ({ fleet, startsAt, now, announce, cut }: AgentsOptions): Agents => {
  const hosts = new Map<HostId, Host>(fleet.hosts.map((spec) => [spec.id, newHost(spec, startsAt)]))
  const processes: Process[] = []
  const orders = new Map<Generation, SwapOrder | StopOrder>()
  const loads = new Map<ModelId, LoadCount>()

  const processAt = ({ host, model }: Placement): Process => {
    const found = hosts.get(host)
    if (found === undefined) throw new Error(`the scheduler uses the host ${host}, which the fleet does not have`)
    return processOn(found, model, processes)
  }

  const countOf = (model: ModelId): LoadCount => {
    const known = loads.get(model) ?? { loads: 0, useful: 0 }
    loads.set(model, known)
    return known
  }

  /** The processes among these that are there, all told to go. */
  const end = (victims: readonly Process[]): Set<Process> => {
    const going = victims.filter(({ phase }) => phase !== 'stopped')
    for (const victim of going) {
      if (victim.phase === 'stopping') continue
      if (victim.running.size > 0) cut(victim)
      victim.phase = 'stopping'
      announce('ended', now() + victim.times.stopMs, victim)
    }
    return new Set(going)
  }

  const load = (order: SwapOrder): void => {
    const { target } = order
    if (target.phase !== 'stopped') throw new Error(`a second process of ${target.model} on ${target.host.id}`)
    order.loadsFrom = now()
    target.phase = 'loading'
    target.epoch += 1
    target.isUseful = false
    target.cache = undefined
    countOf(target.model).loads += 1
    target.loadedAt = now() + target.times.loadMs
    announce('loaded', target.loadedAt, target)
  }

  const answerSwap = (order: SwapOrder, outcome: 'ready' | 'aborted'): Answer => {
    const { swap, target, startedAt, loadsFrom = now() } = order
    orders.delete(swap.generation)
    target.host.use.end(now())
    const rest: Pick<SwapResult, 'evictions' | 'timings'> = {
      evictions: swap.evict.map((model) => ({ model, outcome: 'stopped' })),
      timings: { stopMs: loadsFrom - startedAt, memoryMs: 0, loadMs: now() - loadsFrom },
    }
    const result: SwapResult =
      outcome === 'ready'
        ? { outcome, epoch: epoch(target.epoch), slots: target.times.slots, ...rest }
        : { outcome, ...rest }
    return { type: 'swap-done', generation: swap.generation, result }
  }

  const answerStop = ({ generation, placements, hosts: used }: StopOrder): Answer => {
    orders.delete(generation)
    for (const { use } of used) use.end(now())
    const outcomes = placements.map((placement): StopOutcome => ({ placement, outcome: 'stopped' }))
    return { type: 'stop-done', generation, outcomes }
  }

  /** Goes on with an order that waits for nothing any more. */
  const proceed = (order: SwapOrder | StopOrder): Answer | undefined => {
    if (order.type === 'stop') return answerStop(order)
    if (order.aborted) return answerSwap(order, 'aborted')
    load(order)
    return undefined
  }

  return {
    loads,
    processAt,
    begin: (placement) => {
      const process = processAt(placement)
      process.phase = 'ready'
      process.epoch = 1
      // No load of this simulation, and so no wasted one
      process.isUseful = true
      return { model: process.model, epoch: epoch(process.epoch), slots: process.times.slots }
    },
    startSwap: (swap) => {
      const target = processAt(swap)
      const victims = swap.evict.map((model) => processAt({ model, host: swap.host }))
      const waitsFor = end(victims)
      const order: SwapOrder = {
        type: 'swap',
        swap,
        target,
        startedAt: now(),
        waitsFor,
        loadsFrom: undefined,
        aborted: false,
      }
      orders.set(swap.generation, order)
      target.host.use.begin(now())
      if (waitsFor.size === 0) load(order)
    },
    abort: (generation) => {
      const order = orders.get(generation)
      if (order?.type !== 'swap') return
      order.aborted = true
      if (order.target.phase !== 'loading') return
      for (const ending of end([order.target])) order.waitsFor.add(ending)
    },
    stop: ({ generation, placements }) => {
      // Nothing but idle unload stops models here, so there is nothing to drain
      const targets = placements.map((placement) => processAt(placement))
      const used = [...new Set(targets.map(({ host }) => host))]
      for (const { use } of used) use.begin(now())
      orders.set(generation, { type: 'stop', generation, placements, hosts: used, waitsFor: end(targets) })
    },
    ended: (process) => {
      process.phase = 'stopped'
      const answers: Answer[] = []
      for (const order of orders.values()) {
        if (!order.waitsFor.delete(process) || order.waitsFor.size > 0) continue
        const answer = proceed(order)
        if (answer !== undefined) answers.push(answer)
      }
      return answers
    },
    loaded: (process) => {
      // What was announced for a load that was given up is not about the one that came after it.
      if (process.phase !== 'loading' || process.loadedAt !== now()) return []
      process.phase = 'ready'
      for (const order of orders.values()) {
        if (order.type === 'swap' && order.target === process) return [answerSwap(order, 'ready')]
      }
      throw new Error(`nobody ordered the load of ${process.model}`)
    },
    granted: (process) => {
      if (process.phase !== 'ready') throw new Error(`a grant to ${process.model}, which is ${process.phase}`)
      if (process.isUseful) return
      process.isUseful = true
      countOf(process.model).useful += 1
    },
    servedByHost: () =>
      Object.fromEntries(
        [...hosts].map(([id, host]) => [id, [...host.processes.values()].reduce((sum, { served }) => sum + served, 0)]),
      ),
    idleMs: (at) => [...hosts.values()].reduce((sum, { use }) => sum + use.idleMs(at), 0),
  }
}
