import assert from 'node:assert/strict'
import { feed, type Command, type Scheduler, type SchedulerEvent, type SchedulerOptions } from '../../../src/index.ts'

/** How to make the scheduler under test, and make it again from a snapshot. */
export interface Factory {
  create(options: SchedulerOptions): Scheduler
  restore(options: SchedulerOptions, snapshot: unknown): Scheduler
}

/** The scheduler under test and, from some point on, a twin restored from its snapshot that must decide the same. */
export class Subject {
  readonly scheduler: Scheduler
  readonly #factory: Factory
  #twin: Scheduler | undefined

  constructor(factory: Factory, options: SchedulerOptions) {
    this.#factory = factory
    this.scheduler = factory.create(options)
  }

  split(options: SchedulerOptions): void {
    const text = JSON.stringify(this.scheduler.snapshot())
    this.#twin = this.#factory.restore(options, JSON.parse(text))
    assert.equal(JSON.stringify(this.#twin.snapshot()), text, 'a restored scheduler has another snapshot')
  }

  decide(event: SchedulerEvent): Command[] {
    const commands = feed(this.scheduler, event)
    if (this.#twin !== undefined) {
      assert.deepEqual(feed(this.#twin, event), commands, `the restored twin decides otherwise at ${event.type}`)
      assert.equal(this.#twin.nextTick(), this.scheduler.nextTick(), 'the restored twin ticks at another time')
    }
    return commands
  }
}
