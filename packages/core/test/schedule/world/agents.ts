import assert from 'node:assert/strict'
import {
  epoch,
  placementKey,
  type Command,
  type DrainLimit,
  type Eviction,
  type Failure,
  type Generation,
  type HostId,
  type ModelId,
  type Placement,
  type Swap,
  type SwapResult,
} from '../../../src/index.ts'
import { makeEndings, type Endings } from './endings.ts'
import { newHost, type Host, type Process } from './host.ts'
import {
  appeared,
  exited,
  FAILED,
  keptAll,
  keptOn,
  OUT_OF_MEMORY,
  stoppedAll,
  stoppedBut,
  STUCK,
  TIMINGS,
  UNREACHABLE,
  vanished,
  type AgentsOptions,
  type StopOrder,
  type SwapOrder,
  type Untimed,
} from './orders.ts'
import type { Fate } from './setup.ts'

/** The agents of a fleet on virtual time: they stop, load, break and get stuck as their fates say. */
export class Agents {
  readonly hosts: ReadonlyMap<HostId, Host>
  readonly #options: AgentsOptions
  readonly #swaps: SwapOrder[] = []
  readonly #stops: StopOrder[] = []
  readonly #endings: Endings
  /** What agents end on their own account. */
  readonly #ownEnds = new Set<Process>()
  #epochs = 0

  constructor(options: AgentsOptions) {
    this.#options = options
    this.hosts = new Map(options.hosts.map((id) => [id, newHost(id)]))
    this.#endings = makeEndings({
      ...options,
      hostOf: (process) => this.#host(process.host),
      exited: (process) => this.#exited(process, process.epoch),
      settle: () => this.settle(),
    })
  }

  processAt({ model, host }: Placement): Process | undefined {
    return this.hosts.get(host)?.processes.get(model)
  }

  /** A load that runs and was not given up. */
  loadOf(model: ModelId, host: HostId): Swap | undefined {
    return this.#running().find((swap) => swap.model === model && swap.host === host)
  }

  /** Whether a swap that was not given up has it to stop. */
  isEvicted({ model, host }: Placement): boolean {
    return this.#running().some((swap) => swap.host === host && swap.evict.includes(model))
  }

  swapOf(generation: Generation): (Swap & { readonly aborted: boolean }) | undefined {
    const order = this.#swaps.find(({ swap }) => swap.generation === generation)
    return order && { ...order.swap, aborted: order.aborted }
  }

  isIdle(): boolean {
    return this.#swaps.every(({ phase }) => phase === 'ended') && this.#stops.every(({ ended }) => ended)
  }

  startSwap(swap: Swap): void {
    const fate = this.#options.fateOf(swap.generation)
    const order: SwapOrder = { swap, fate, phase: 'stopping', aborted: false }
    this.#swaps.push(order)
    if (fate.result === 'refused') {
      order.phase = 'ended'
      this.#options.clock.after(1, () => this.#fail(order, FAILED, keptAll(order)))
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
      this.#endings.remove(process)
      this.#answer(order, { outcome: 'aborted', evictions: stoppedAll(order) })
    })
  }

  stop(order: Extract<Command, { type: 'stop' }>): void {
    this.#stops.push({ order, outcomes: new Map(), ended: false })
    for (const placement of order.placements) {
      const process = this.processAt(placement)
      if (process?.phase === 'stuck') this.#endings.end(process, this.#options.fateOf(order.generation), 0)
    }
    this.settle()
  }

  /** The process dies by itself. */
  crash(process: Process): void {
    this.#endings.remove(process)
    this.#exited(process, process.epoch)
    this.#options.cut(process, 'died')
  }

  /** Its agent ends it: what it is started from was changed there, or somebody's own hand did it. */
  endUnasked(process: Process, fate: Fate, drainMs: DrainLimit): void {
    this.#ownEnds.add(process)
    this.#endings.end(process, fate, drainMs)
    this.#options.send(appeared(this.#host(process.host)))
    this.settle()
  }

  /** Whether nobody keeps it any more, pinned or not: its agent ends it unasked, or it would not end. */
  isGoing(placement: Placement): boolean {
    const process = this.processAt(placement)
    return process !== undefined && (process.phase === 'stuck' || this.#ownEnds.has(process))
  }

  vanish(host: Host, dies: boolean): void {
    host.up = false
    const all = [...host.processes.values()]
    for (const process of all) {
      if (dies || process.phase !== 'ready') this.#endings.remove(process)
    }
    // Before anybody hears of it: what is told in answer moves the orders on, and none may load on a host that is gone.
    for (const order of this.#swaps) {
      if (order.swap.host !== host.id || order.phase === 'ended') continue
      order.phase = 'ended'
      const evictions = keptOn(order, host)
      this.#options.clock.after(order.fate.stopMs, () => this.#fail(order, UNREACHABLE, evictions))
    }
    this.#options.send(vanished(host))
    for (const process of all) this.#options.cut(process, 'died')
    this.settle()
  }

  appear(host: Host): void {
    host.up = true
    // Its agent alone knows what they were started as: they count as what is configured.
    for (const process of host.processes.values()) process.startedAs = this.#options.processHashOf(process.model)
    this.#options.send(appeared(host))
  }

  /** What it serves at once by the configuration of now. */
  recountSlots(process: Process): void {
    process.slots = this.#options.slotsOf(process.model, process.told)
    process.mostSlots = Math.max(process.mostSlots, process.slots)
  }

  /** Moves every order on as far as it goes without time. */
  settle(): void {
    this.#endings.beginDrained()
    for (const process of this.#ownEnds) if (this.processAt(process) !== process) this.#tellEnd(process)
    for (const order of this.#swaps) if (order.phase === 'stopping') this.#moveSwap(order)
    for (const stop of this.#stops) if (!stop.ended) this.#moveStop(stop)
  }

  #moveSwap(order: SwapOrder): void {
    const { swap, fate } = order
    const victims = swap.evict.map((model) => this.processAt({ model, host: swap.host }))
    let sticks = fate.sticks
    for (const victim of victims) {
      if (victim?.phase === 'ready' || victim?.phase === 'stopping') this.#endings.end(victim, { ...fate, sticks }, 0)
      sticks = false
    }
    if (victims.some((victim) => victim !== undefined && victim.phase !== 'stuck')) return
    const stuck = swap.evict.filter((_, place) => victims[place] !== undefined)
    if (stuck.length > 0 || order.aborted) {
      order.phase = 'ended'
      const evictions = stoppedBut(order, stuck)
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
      slots: 0,
      mostSlots: 0,
      told: fate.slots,
      startedAs: this.#options.processHashOf(swap.model),
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
        this.recountSlots(process)
        const { slots } = fate
        this.#answer(order, { outcome: 'ready', epoch: process.epoch, slots, evictions: stoppedAll(order) })
      } else {
        this.#endings.remove(process)
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
      else if (process?.phase === 'ready')
        this.#endings.end(process, this.#options.fateOf(order.generation), order.drainMs)
      else if (process !== undefined && order.drainMs === 0) this.#endings.hurry(process)
    }
    if (outcomes.size < order.placements.length) return
    stop.ended = true
    const { generation } = order
    this.#options.clock.after(1, () =>
      this.#options.send({ type: 'stop-done', generation, outcomes: [...outcomes.values()] }),
    )
  }

  #tellEnd(process: Process): void {
    this.#ownEnds.delete(process)
    const host = this.#host(process.host)
    this.#options.clock.after(1, () => {
      if (host.up) this.#options.send(appeared(host))
    })
  }

  #exited(process: Process, started: Process['epoch']): void {
    this.#options.send(exited(process, started))
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

  #running(): Swap[] {
    return this.#swaps.filter(({ phase, aborted }) => phase !== 'ended' && !aborted).map(({ swap }) => swap)
  }

  #host(id: HostId): Host {
    const host = this.hosts.get(id)
    assert.ok(host !== undefined, `no host ${id}`)
    return host
  }
}
