import assert from 'node:assert/strict'
import {
  epoch,
  type Eviction,
  type Failure,
  type Generation,
  type HostId,
  type Placement,
  type Swap,
  type SwapResult,
} from '../../../src/index.ts'
import type { Endings } from './endings.ts'
import type { Host, Process } from './host.ts'
import {
  FAILED,
  keptAll,
  keptOn,
  OUT_OF_MEMORY,
  stoppedAll,
  stoppedBut,
  STUCK,
  TIMINGS,
  UNREACHABLE,
  type AgentsOptions,
  type SwapOrder,
  type Untimed,
} from './orders.ts'

export interface SwapsOptions extends Pick<AgentsOptions, 'clock' | 'fateOf' | 'processHashOf' | 'send'> {
  readonly endings: Endings
  readonly hostOf: (id: HostId) => Host
  readonly processAt: (placement: Placement) => Process | undefined
  readonly recountSlots: (process: Process) => void
  /** Something ended: others may go on. */
  readonly settle: () => void
}

/** The swaps that agents were told: each stops what it evicts, then loads, and is answered once. */
export class Swaps {
  readonly #options: SwapsOptions
  readonly #swaps: SwapOrder[] = []
  #epochs = 0

  constructor(options: SwapsOptions) {
    this.#options = options
  }

  isIdle(): boolean {
    return this.#swaps.every(({ phase }) => phase === 'ended')
  }

  /** Those that run and were not given up. */
  running(): Swap[] {
    return this.#swaps.filter(({ phase, aborted }) => phase !== 'ended' && !aborted).map(({ swap }) => swap)
  }

  /** Whether one to this placement runs, given up or not. */
  isUnderWay({ model, host }: Placement): boolean {
    return this.#swaps.some(({ swap, phase }) => swap.model === model && swap.host === host && phase !== 'ended')
  }

  of(generation: Generation): (Swap & { readonly aborted: boolean }) | undefined {
    const order = this.#swaps.find(({ swap }) => swap.generation === generation)
    return order && { ...order.swap, aborted: order.aborted }
  }

  /** False: it was refused, and nothing moves. */
  start(swap: Swap): boolean {
    const fate = this.#options.fateOf(swap.generation)
    const order: SwapOrder = { swap, fate, phase: 'stopping', aborted: false }
    this.#swaps.push(order)
    if (fate.result !== 'refused') return true
    order.phase = 'ended'
    this.#options.clock.after(1, () => this.#fail(order, FAILED, keptAll(order)))
    return false
  }

  abort(generation: Generation): void {
    const { clock, endings, processAt } = this.#options
    const order = this.#swaps.find(({ swap }) => swap.generation === generation)
    assert.ok(order !== undefined, 'an abort of a swap that never was')
    order.aborted = true
    const process = processAt(order.swap)
    if (order.phase !== 'loading' || order.fate.survivesAbort || process === undefined) return
    process.phase = 'stopping'
    order.phase = 'ended'
    clock.after(2, () => {
      endings.remove(process)
      this.#answer(order, { outcome: 'aborted', evictions: stoppedAll(order) })
    })
  }

  /** Their host is out of reach: what becomes of them is told later. */
  lose(host: Host): void {
    for (const order of this.#swaps) {
      if (order.swap.host !== host.id || order.phase === 'ended') continue
      order.phase = 'ended'
      const evictions = keptOn(order, host)
      this.#options.clock.after(order.fate.stopMs, () => this.#fail(order, UNREACHABLE, evictions))
    }
  }

  /** Moves each on as far as it goes without time. */
  move(): void {
    for (const order of this.#swaps) if (order.phase === 'stopping') this.#move(order)
  }

  #move(order: SwapOrder): void {
    const { clock, endings, processAt } = this.#options
    const { swap, fate } = order
    const victims = swap.evict.map((model) => processAt({ model, host: swap.host }))
    let sticks = fate.sticks
    for (const victim of victims) {
      if (victim?.phase === 'ready' || victim?.phase === 'stopping') endings.end(victim, { ...fate, sticks }, 0)
      sticks = false
    }
    if (victims.some((victim) => victim !== undefined && victim.phase !== 'stuck')) return
    const stuck = swap.evict.filter((_, place) => victims[place] !== undefined)
    if (stuck.length > 0 || order.aborted) {
      order.phase = 'ended'
      const evictions = stoppedBut(order, stuck)
      clock.after(1, () =>
        stuck.length > 0 ? this.#fail(order, STUCK, evictions) : this.#answer(order, { outcome: 'aborted', evictions }),
      )
      return
    }
    this.#load(order)
  }

  #load(order: SwapOrder): void {
    const { swap, fate } = order
    const { clock, endings, hostOf, processHashOf, recountSlots } = this.#options
    const host = hostOf(swap.host)
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
      startedAs: processHashOf(swap.model),
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
        recountSlots(process)
        const { slots } = fate
        this.#answer(order, { outcome: 'ready', epoch: process.epoch, slots, evictions: stoppedAll(order) })
      } else {
        endings.remove(process)
        this.#fail(order, fate.result === 'oom' ? OUT_OF_MEMORY : FAILED, stoppedAll(order))
      }
    })
  }

  #fail(order: SwapOrder, failure: Failure, evictions: readonly Eviction[]): void {
    this.#answer(order, { outcome: 'failed', failure, evictions })
  }

  #answer({ swap }: SwapOrder, result: Untimed<SwapResult>): void {
    const { generation } = swap
    this.#options.send({ type: 'swap-done', generation, result: { ...result, timings: TIMINGS } })
    this.#options.settle()
  }
}
