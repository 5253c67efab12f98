import assert from 'node:assert/strict'
import {
  epoch,
  placementKey,
  type Command,
  type Eviction,
  type Failure,
  type Generation,
  type HostId,
  type ModelId,
  type Placement,
  type SchedulerEvent,
  type StopOutcome,
  type Swap,
  type SwapResult,
} from '../../../src/index.ts'
import type { VirtualClock } from './clock.ts'
import { newHost, type Host, type Process } from './host.ts'
import type { Fate } from './setup.ts'

type WithoutNow<Event> = Event extends SchedulerEvent ? Omit<Event, 'now'> : never
/** An event that still needs its time. */
export type Fact = WithoutNow<SchedulerEvent>

export interface AgentsOptions {
  readonly clock: VirtualClock
  readonly hosts: readonly HostId[]
  readonly fateOf: (generation: Generation) => Fate
  readonly slotsOf: (model: ModelId, told: number) => number
  readonly send: (fact: Fact) => void
  /** Requests that a process serves, with or without a slot. */
  readonly servedBy: (process: Process) => number
  /** Ends what the process serves. */
  readonly cut: (process: Process, why: 'evicted' | 'died') => void
}

type Untimed<Result> = Result extends SwapResult ? Omit<Result, 'timings'> : never

interface SwapOrder {
  readonly swap: Swap
  readonly fate: Fate
  phase: 'stopping' | 'loading' | 'ended'
  aborted: boolean
}

interface StopOrder {
  readonly order: Extract<Command, { type: 'stop' }>
  readonly outcomes: Map<string, StopOutcome>
  ended: boolean
}

const DIED: Failure = { code: 'upstream_died', message: 'signal SIGSEGV' }
const UNREACHABLE: Failure = { code: 'host_unreachable', message: 'the host does not answer' }
const STUCK: Failure = { code: 'stop_failed', message: 'it would not end' }
const FAILED: Failure = { code: 'start_failed', message: 'exit code 1' }
const OUT_OF_MEMORY: Failure = { code: 'out_of_memory', message: 'cudaMalloc failed' }
const TIMINGS = { stopMs: 5, memoryMs: 0, loadMs: 50 }

/** The agents of a fleet on virtual time: they stop, load, break and get stuck as their fates say. */
export class Agents {
  readonly hosts: ReadonlyMap<HostId, Host>
  readonly #options: AgentsOptions
  readonly #swaps: SwapOrder[] = []
  readonly #stops: StopOrder[] = []
  readonly #endings = new Map<Process, { sticks: boolean; begin: () => void }>()
  #epochs = 0

  constructor(options: AgentsOptions) {
    this.#options = options
    this.hosts = new Map(options.hosts.map((id) => [id, newHost(id)]))
  }

  processAt({ model, host }: Placement): Process | undefined {
    return this.hosts.get(host)?.processes.get(model)
  }

  /** A load that runs and was not given up. */
  loadOf(model: ModelId, host: HostId): Swap | undefined {
    return this.#swaps.find(
      ({ swap, phase, aborted }) => swap.model === model && swap.host === host && phase !== 'ended' && !aborted,
    )?.swap
  }

  swapOf(generation: Generation): Swap | undefined {
    return this.#swaps.find(({ swap }) => swap.generation === generation)?.swap
  }

  wasAborted(generation: Generation): boolean {
    return this.#swaps.some(({ swap, aborted }) => aborted && swap.generation === generation)
  }

  isIdle(): boolean {
    return this.#swaps.every(({ phase }) => phase === 'ended') && this.#stops.every(({ ended }) => ended)
  }

  startSwap(swap: Swap): void {
    const fate = this.#options.fateOf(swap.generation)
    const order: SwapOrder = { swap, fate, phase: 'stopping', aborted: false }
    this.#swaps.push(order)
    if (fate.result === 'refused') {
      const kept = swap.evict.map((model): Eviction => ({ model, outcome: 'kept' }))
      order.phase = 'ended'
      this.#options.clock.after(1, () => this.#fail(order, FAILED, kept))
      return
    }
    this.settle()
  }

  abort(generation: Generation): void {
    const order = this.#swaps.find(({ swap }) => swap.generation === generation)
    assert.ok(order !== undefined, 'an abort of a swap that never was')
    order.aborted = true
    const process = this.processAt(order.swap)
    if (order.phase !== 'loading' || order.fate.survivesAbort || process === undefined) return
    process.phase = 'stopping'
    order.phase = 'ended'
    this.#options.clock.after(2, () => {
      this.#remove(process)
      this.#answer(order, { outcome: 'aborted', evictions: stoppedAll(order) })
    })
  }

  stop(order: Extract<Command, { type: 'stop' }>): void {
    this.#stops.push({ order, outcomes: new Map(), ended: false })
    for (const placement of order.placements) {
      const process = this.processAt(placement)
      if (process?.phase === 'stuck') this.#end(process, this.#options.fateOf(order.generation), 0)
    }
    this.settle()
  }

  /** The process dies by itself. */
  crash(process: Process): void {
    this.#remove(process)
    const { model, host } = process
    this.#exited({ model, host }, process.epoch)
    this.#options.cut(process, 'died')
  }

  /** A late word about an earlier start. */
  crashStale({ model, host, epoch: latest }: Process): void {
    this.#exited({ model, host }, epoch(latest - 1))
  }

  vanish(host: Host, dies: boolean): void {
    host.up = false
    const all = [...host.processes.values()]
    for (const process of all) {
      if (dies || process.phase !== 'ready') this.#remove(process)
    }
    this.#options.send({
      type: 'fleet-changed',
      observation: { type: 'host-vanished', host: host.id, failure: UNREACHABLE },
    })
    for (const process of all) this.#options.cut(process, 'died')
    for (const order of this.#swaps) {
      if (order.swap.host !== host.id || order.phase === 'ended') continue
      order.phase = 'ended'
      const evictions = order.swap.evict.map((model): Eviction => ({
        model,
        outcome: host.processes.has(model) ? 'kept' : 'stopped',
      }))
      this.#options.clock.after(order.fate.stopMs, () => this.#fail(order, UNREACHABLE, evictions))
    }
    this.settle()
  }

  appear(host: Host): void {
    host.up = true
    const ready = [...host.processes.values()].filter(({ phase }) => phase === 'ready')
    this.#options.send({
      type: 'fleet-changed',
      observation: {
        type: 'host-appeared',
        host: host.id,
        ready: ready.map(({ model, epoch: started, slots }) => ({ model, epoch: started, slots })),
      },
    })
  }

  /** Moves every order on as far as it goes without time. */
  settle(): void {
    for (const [process, ending] of this.#endings) if (this.#options.servedBy(process) === 0) ending.begin()
    for (const order of this.#swaps) if (order.phase === 'stopping') this.#moveSwap(order)
    for (const stop of this.#stops) if (!stop.ended) this.#moveStop(stop)
  }

  #moveSwap(order: SwapOrder): void {
    const { swap, fate } = order
    const victims = swap.evict.map((model) => this.processAt({ model, host: swap.host }))
    let sticks = fate.sticks
    for (const victim of victims) {
      if (victim?.phase === 'ready' || victim?.phase === 'stopping') this.#end(victim, { ...fate, sticks }, 0)
      sticks = false
    }
    if (victims.some((victim) => victim !== undefined && victim.phase !== 'stuck')) return
    const stuck = swap.evict.filter((_, place) => victims[place] !== undefined)
    if (stuck.length > 0 || order.aborted) {
      order.phase = 'ended'
      const evictions = swap.evict.map((model): Eviction =>
        stuck.includes(model) ? { model, outcome: 'stuck', failure: STUCK } : { model, outcome: 'stopped' },
      )
      this.#options.clock.after(1, () =>
        stuck.length > 0 ? this.#fail(order, STUCK, evictions) : this.#answer(order, { outcome: 'aborted', evictions }),
      )
      return
    }
    this.#load(order)
  }

  #load(order: SwapOrder): void {
    const { swap, fate } = order
    const { clock } = this.#options
    const host = this.#host(swap.host)
    assert.ok(!host.processes.has(swap.model), `two processes of ${swap.model} on ${swap.host}`)
    order.phase = 'loading'
    this.#epochs += 1
    const process: Process = {
      model: swap.model,
      host: swap.host,
      epoch: epoch(this.#epochs),
      slots: this.#options.slotsOf(swap.model, fate.slots),
      readyAt: Infinity,
      phase: 'starting',
    }
    host.processes.set(swap.model, process)
    clock.after(fate.loadMs, () => {
      if (order.phase !== 'loading') return
      order.phase = 'ended'
      if (fate.result === 'ready') {
        process.phase = 'ready'
        process.readyAt = clock.now
        process.slots = this.#options.slotsOf(swap.model, fate.slots)
        const { slots } = fate
        this.#answer(order, { outcome: 'ready', epoch: process.epoch, slots, evictions: stoppedAll(order) })
      } else {
        this.#remove(process)
        this.#fail(order, fate.result === 'oom' ? OUT_OF_MEMORY : FAILED, stoppedAll(order))
      }
    })
  }

  #moveStop(stop: StopOrder): void {
    const { order, outcomes } = stop
    for (const placement of order.placements) {
      const key = placementKey(placement)
      if (outcomes.has(key)) continue
      const process = this.processAt(placement)
      const isLoading = this.#swaps.some(
        ({ swap, phase }) => swap.model === placement.model && swap.host === placement.host && phase !== 'ended',
      )
      if (process === undefined && !isLoading) outcomes.set(key, { placement, outcome: 'stopped' })
      else if (process?.phase === 'stuck') outcomes.set(key, { placement, outcome: 'stuck', failure: STUCK })
      else if (process?.phase === 'ready') this.#end(process, this.#options.fateOf(order.generation), order.drainMs)
      else if (process !== undefined && order.drainMs === 0) this.#endings.get(process)?.begin()
    }
    if (outcomes.size < order.placements.length) return
    stop.ended = true
    const { generation } = order
    this.#options.clock.after(1, () =>
      this.#options.send({ type: 'stop-done', generation, outcomes: [...outcomes.values()] }),
    )
  }

  /** Drains, then stops; a second order can only hurry. */
  #end(process: Process, fate: Fate, drainMs: number): void {
    const { clock, servedBy, cut } = this.#options
    const running = this.#endings.get(process)
    if (process.phase === 'stopping') {
      if (drainMs === 0) running?.begin()
      return
    }
    process.phase = 'stopping'
    const begin = (): void => {
      if (!this.#endings.delete(process)) return
      cut(process, 'evicted')
      clock.after(fate.stopMs, () => this.#ended(process, fate))
    }
    this.#endings.set(process, { sticks: fate.sticks, begin })
    if (drainMs === 0 || servedBy(process) === 0) begin()
    else if (Number.isFinite(drainMs)) clock.after(drainMs, begin)
  }

  #ended(process: Process, fate: Fate): void {
    if (this.processAt(process) !== process) return
    if (!fate.sticks) {
      this.#remove(process)
    } else {
      process.phase = 'stuck'
      this.#options.clock.after(fate.lingerMs, () => {
        if (this.processAt(process) !== process || process.phase !== 'stuck') return
        this.#remove(process)
        const { model, host } = process
        if (this.#host(host).up) this.#exited({ model, host }, process.epoch)
      })
    }
    this.settle()
  }

  #remove(process: Process): void {
    this.#endings.delete(process)
    const { processes } = this.#host(process.host)
    if (processes.get(process.model) === process) processes.delete(process.model)
  }

  #exited(placement: Placement, started: Process['epoch']): void {
    const observation = { type: 'process-exited', placement, epoch: started, failure: DIED } as const
    this.#options.send({ type: 'fleet-changed', observation })
    this.settle()
  }

  #fail(order: SwapOrder, failure: Failure, evictions: readonly Eviction[]): void {
    this.#answer(order, { outcome: 'failed', failure, evictions })
  }

  #answer({ swap }: SwapOrder, result: Untimed<SwapResult>): void {
    const { generation } = swap
    this.#options.send({ type: 'swap-done', generation, result: { ...result, timings: TIMINGS } })
    this.settle()
  }

  #host(id: HostId): Host {
    const host = this.hosts.get(id)
    assert.ok(host !== undefined, `no host ${id}`)
    return host
  }
}

const stoppedAll = ({ swap }: SwapOrder): Eviction[] => swap.evict.map((model) => ({ model, outcome: 'stopped' }))
