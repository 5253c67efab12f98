import {
  epoch,
  generation,
  hostId,
  LOCAL_HOST,
  modelId,
  type Command,
  type Eviction,
  type Failure,
  type StopOutcome,
  type Swap,
  type SwapResult,
} from '../../src/index.ts'
import { brief } from './fixtures.ts'
import { RigView } from './rig-view.ts'

/** A process found alive; another start than the last known one unless it says so. */
interface Found {
  readonly model: string
  readonly slots?: number
  readonly sameAsBefore?: boolean
  /** Absent: nobody but its agent can tell. */
  readonly startedAs?: string
}

const START_FAILED: Failure = { code: 'start_failed', message: 'exit code 1' }

/** What the agents of a rig tell its scheduler: what runs, and what became of orders. Every call answers with the commands in brief. */
export class RigFleet extends RigView {
  #nextEpoch = 1
  readonly #swaps = new Map<number, Swap>()
  readonly #epochs = new Map<string, number>()

  /** Notes what a decision commands; answers it in brief. */
  take(commands: Command[]): string[] {
    for (const command of commands) {
      this.commands.push(command)
      if (command.type === 'start-swap') this.#swaps.set(command.swap.generation, command.swap)
    }
    return commands.map((command) => brief(command))
  }

  hostUp(host: string, ready: readonly Found[] = [], changing: readonly Found[] = []): string[] {
    const startOf = ({ model: id, sameAsBefore = false }: Found): number =>
      sameAsBefore ? (this.#epochs.get(`${host}/${id}`) ?? 0) : this.#epoch(host, id)
    return this.take(
      this.scheduler.onFleetChange({
        type: 'fleet-changed',
        now: this.now,
        observation: {
          type: 'host-appeared',
          host: hostId(host),
          ready: ready.map((found) => {
            const { model: id, slots, startedAs } = found
            return {
              model: modelId(id),
              epoch: epoch(startOf(found)),
              ...(slots === undefined ? {} : { slots }),
              ...(startedAs === undefined ? {} : { processHash: startedAs }),
            }
          }),
          changing: changing.map((found) => ({ model: modelId(found.model), epoch: epoch(startOf(found)) })),
        },
      }),
    )
  }

  /** `taken`: by another router. */
  hostDown(host: string, { taken = false }: { readonly taken?: boolean } = {}): string[] {
    const failure: Failure = taken
      ? { code: 'fenced', message: `another router has ${host}` }
      : { code: 'host_unreachable', message: `${host} does not answer` }
    const observation = { type: 'host-vanished', host: hostId(host), failure } as const
    return this.take(this.scheduler.onFleetChange({ type: 'fleet-changed', now: this.now, observation }))
  }

  /** The agent of a host goes by other definitions of these. */
  redefined(host: string, ...ids: readonly string[]): string[] {
    const observation = { type: 'redefined', host: hostId(host), models: ids.map((id) => modelId(id)) } as const
    return this.take(this.scheduler.onFleetChange({ type: 'fleet-changed', now: this.now, observation }))
  }

  hostRemoved(host: string): string[] {
    const observation = { type: 'host-removed', host: hostId(host) } as const
    return this.take(this.scheduler.onFleetChange({ type: 'fleet-changed', now: this.now, observation }))
  }

  /** The latest process of the model ends by itself; `olderBy` names an earlier start instead. */
  crashed(id: string, more: { host?: string; olderBy?: number } = {}): string[] {
    const { host = LOCAL_HOST, olderBy = 0 } = more
    const started = this.#epochs.get(`${host}/${id}`) ?? 0
    return this.take(
      this.scheduler.onFleetChange({
        type: 'fleet-changed',
        now: this.now,
        observation: {
          type: 'process-exited',
          placement: { model: modelId(id), host: hostId(host) },
          epoch: epoch(started - olderBy),
          failure: { code: 'upstream_died', message: `${id} ended with signal SIGSEGV` },
        },
      }),
    )
  }

  /** Its agent says that the latest process of the model is being ended; `olderBy` names an earlier start instead. */
  leaves(id: string, more: { host?: string; olderBy?: number } = {}): string[] {
    const { host = LOCAL_HOST, olderBy = 0 } = more
    const placement = { model: modelId(id), host: hostId(host) }
    const started = epoch((this.#epochs.get(`${host}/${id}`) ?? 0) - olderBy)
    const observation = { type: 'process-leaving', placement, epoch: started } as const
    return this.take(this.scheduler.onFleetChange({ type: 'fleet-changed', now: this.now, observation }))
  }

  /** The swap ends well: what it evicted has stopped. */
  ready(number: number, more: { slots?: number; loadMs?: number; stopMs?: number } = {}): string[] {
    const swap = this.#swap(number)
    const started = epoch(this.#epoch(swap.host, swap.model))
    return this.#swapDone(swap, {
      outcome: 'ready',
      epoch: started,
      ...(more.slots === undefined ? {} : { slots: more.slots }),
      evictions: stopped(swap),
      timings: { stopMs: more.stopMs ?? 0, memoryMs: 0, loadMs: more.loadMs ?? 100 },
    })
  }

  failed(
    number: number,
    more: { failure?: Failure; evictions?: readonly Eviction[]; unanswered?: true } = {},
  ): string[] {
    const swap = this.#swap(number)
    const failure = more.failure ?? START_FAILED
    return this.#swapDone(swap, {
      outcome: 'failed',
      failure,
      evictions: more.evictions ?? stopped(swap),
      timings: NONE,
      ...(more.unanswered === undefined ? {} : { unanswered: more.unanswered }),
    })
  }

  aborted(number: number, evictions?: readonly Eviction[]): string[] {
    const swap = this.#swap(number)
    return this.#swapDone(swap, { outcome: 'aborted', evictions: evictions ?? stopped(swap), timings: NONE })
  }

  /** Answers a stop; `stuck` names the models that would not end. */
  stopDone(number: number, stuck: readonly string[] = []): string[] {
    const order = this.commands.find((command) => command.type === 'stop' && command.generation === number)
    if (order?.type !== 'stop') throw new Error(`no stop ${number}`)
    const outcomes = order.placements.map((placement): StopOutcome => {
      if (!stuck.includes(placement.model)) return { placement, outcome: 'stopped' }
      return {
        placement,
        outcome: 'stuck',
        failure: { code: 'stop_failed', message: `${placement.model} would not end` },
      }
    })
    const event = { type: 'stop-done', now: this.now, generation: generation(number), outcomes } as const
    return this.take(this.scheduler.onStopDone(event))
  }

  #epoch(host: string, id: string): number {
    const made = this.#nextEpoch
    this.#nextEpoch += 1
    this.#epochs.set(`${host}/${id}`, made)
    return made
  }

  #swap(number: number): Swap {
    const swap = this.#swaps.get(number)
    if (swap === undefined) throw new Error(`no swap ${number}`)
    return swap
  }

  #swapDone(swap: Swap, result: SwapResult): string[] {
    const event = { type: 'swap-done', now: this.now, generation: swap.generation, result } as const
    return this.take(this.scheduler.onSwapDone(event))
  }
}

const NONE = { stopMs: 0, memoryMs: 0, loadMs: 0 }

const stopped = (swap: Swap): Eviction[] => swap.evict.map((id) => ({ model: id, outcome: 'stopped' }))
