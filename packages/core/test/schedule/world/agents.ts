import assert from 'node:assert/strict'
import type { Command, DrainLimit, Generation, HostId, ModelId, Placement, Swap } from '../../../src/index.ts'
import { makeEndings, type Endings } from './endings.ts'
import { newHost, type Host, type Process } from './host.ts'
import { appeared, exited, leaving, vanished, type AgentsOptions } from './orders.ts'
import type { Fate } from './setup.ts'
import { Stops } from './stops.ts'
import { Swaps } from './swaps.ts'

/** The agents of a fleet on virtual time: they stop, load, break and get stuck as their fates say. */
export class Agents {
  readonly hosts: ReadonlyMap<HostId, Host>
  readonly #options: AgentsOptions
  readonly #swaps: Swaps
  readonly #stops: Stops
  readonly #endings: Endings
  /** What agents end on their own account. */
  readonly #ownEnds = new Set<Process>()

  constructor(options: AgentsOptions) {
    this.#options = options
    this.hosts = new Map(options.hosts.map((id) => [id, newHost(id)]))
    this.#endings = makeEndings({
      ...options,
      hostOf: (process) => this.#host(process.host),
      exited: (process) => this.#exited(process, process.epoch),
      settle: () => this.settle(),
    })
    const parts = {
      ...options,
      endings: this.#endings,
      processAt: (placement: Placement) => this.processAt(placement),
    }
    this.#swaps = new Swaps({
      ...parts,
      hostOf: (id) => this.#host(id),
      recountSlots: (process) => this.recountSlots(process),
      settle: () => this.settle(),
    })
    this.#stops = new Stops({ ...parts, swaps: this.#swaps })
  }

  processes(): Process[] {
    return [...this.hosts.values()].flatMap(({ processes }) => Array.from(processes.values()))
  }

  processAt({ model, host }: Placement): Process | undefined {
    return this.hosts.get(host)?.processes.get(model)
  }

  /** A load that runs and was not given up. */
  loadOf(model: ModelId, host: HostId): Swap | undefined {
    return this.#swaps.running().find((swap) => swap.model === model && swap.host === host)
  }

  /** Whether a swap that was not given up has it to stop. */
  isEvicted({ model, host }: Placement): boolean {
    return this.#swaps.running().some((swap) => swap.host === host && swap.evict.includes(model))
  }

  swapOf(generation: Generation): (Swap & { readonly aborted: boolean }) | undefined {
    return this.#swaps.of(generation)
  }

  isIdle(): boolean {
    return this.#swaps.isIdle() && this.#stops.isIdle()
  }

  startSwap(swap: Swap): void {
    if (this.#swaps.start(swap)) this.settle()
  }

  abort(generation: Generation): void {
    this.#swaps.abort(generation)
  }

  stop(order: Extract<Command, { type: 'stop' }>): void {
    this.#stops.start(order)
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
    this.#options.send(leaving(process))
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
    this.#swaps.lose(host)
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
    this.#swaps.move()
    this.#stops.move()
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

  #host(id: HostId): Host {
    const host = this.hosts.get(id)
    assert.ok(host !== undefined, `no host ${id}`)
    return host
  }
}
