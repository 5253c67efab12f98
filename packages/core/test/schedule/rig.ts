import {
  callerId,
  createScheduler,
  LOCAL_HOST,
  modelId,
  requestId,
  unloadId,
  type Failure,
  type Request,
  type Scheduler,
} from '../../src/index.ts'
import { rigOptions, type RigOptions } from './fixtures.ts'
import { RigFleet } from './rig-fleet.ts'

export { model } from './fixtures.ts'

/** Drives one scheduler by hand on a clock that only tests move. Every call answers with the commands in brief. */
export class Rig extends RigFleet {
  #nextRequest = 1
  #nextUnload = 1

  constructor(options: RigOptions, scheduler: Scheduler = createScheduler(rigOptions(options))) {
    super(scheduler)
    for (const host of options.hosts ?? [LOCAL_HOST]) this.hostUp(host)
  }

  /** The number of the request that the next `ask` makes. */
  get upcoming(): number {
    return this.#nextRequest
  }

  set upcoming(number: number) {
    this.#nextRequest = number
  }

  ask(id: string, more: Partial<Omit<Request, 'id' | 'model'>> = {}): string[] {
    const request: Request = {
      id: requestId(this.#nextRequest),
      model: modelId(id),
      priority: 0,
      criticality: 'critical',
      caller: callerId('anonymous'),
      takesSlot: true,
      noLoad: false,
      ...more,
    }
    this.#nextRequest += 1
    return this.take(this.scheduler.onRequest({ type: 'request-received', now: this.now, request }))
  }

  cancel(request: number): string[] {
    const event = { type: 'request-cancelled', now: this.now, request: requestId(request) } as const
    return this.take(this.scheduler.onCancel(event))
  }

  served(request: number, outcome: 'done' | 'retry' | 'given-up' = 'done'): string[] {
    const event = { type: 'serve-done', now: this.now, request: requestId(request), outcome } as const
    return this.take(this.scheduler.onServeDone(event))
  }

  unload(targets: readonly string[] | 'all', more: { drainMs?: number; force?: boolean } = {}): string[] {
    const unload = unloadId(this.#nextUnload)
    this.#nextUnload += 1
    return this.take(
      this.scheduler.onUnload({
        type: 'unload-asked',
        now: this.now,
        unload,
        targets: targets === 'all' ? 'all' : targets.map((id) => modelId(id)),
        drainMs: more.drainMs ?? 600_000,
        force: more.force ?? false,
      }),
    )
  }

  pin(id: string, pinned: boolean): string[] {
    const event = { type: 'pin-asked', now: this.now, model: modelId(id), pinned } as const
    return this.take(this.scheduler.onPin(event))
  }

  /** Moves the clock on, with a tick whenever one is due. */
  pass(ms: number): string[] {
    const end = this.now + ms
    const made: string[] = []
    for (;;) {
      const due = this.scheduler.nextTick()
      if (due === undefined || due > end) break
      this.now = Math.max(this.now, due)
      made.push(...this.tick())
      // A tick that stays due would spin the loop for ever.
      if (this.scheduler.nextTick() === due) throw new Error(`the tick at ${due} did not help`)
    }
    this.now = end
    return made
  }

  tick(): string[] {
    return this.take(this.scheduler.onTick({ type: 'ticked', now: this.now }))
  }

  /** The configuration is read again. */
  reload(options: RigOptions): string[] {
    return this.take(this.scheduler.onConfig({ type: 'config-changed', now: this.now, options: rigOptions(options) }))
  }

  shutdown(): string[] {
    const failure: Failure = { code: 'shutting_down', message: 'lswap is shutting down' }
    return this.take(this.scheduler.onShutdown({ type: 'shutdown-started', now: this.now, failure }))
  }
}
