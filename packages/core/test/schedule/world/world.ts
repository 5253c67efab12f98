import assert from 'node:assert/strict'
import type {
  Command,
  Generation,
  ModelId,
  ModelPolicy,
  Scheduler,
  SchedulerEvent,
  SchedulerOptions,
  Swap,
} from '../../../src/index.ts'
import { brief } from '../fixtures.ts'
import { Agents } from './agents.ts'
import { makeClock } from './clock.ts'
import { checkCommand } from './check-command.ts'
import { Deeds } from './deeds.ts'
import type { Fact } from './orders.ts'
import { makeRequests } from './requests.ts'
import { hostAt, optionsOf, type Fate, type Trace } from './setup.ts'
import { Subject, type Factory } from './subject.ts'
import type { Seen, Watch } from './watch.ts'

/** Turns that a trace may take: far more than any needs, so that a scheduler that spins is found and not waited for. */
const MOST_TURNS = 20_000

/** Clients, agents and time around one scheduler. Every command is checked against what is true in this world. */
export class World {
  readonly clock = makeClock()
  readonly seen = new Set<Seen>()
  readonly requests = makeRequests({
    clock: this.clock,
    onServed: (request, outcome) => {
      this.send({ type: 'serve-done', request, outcome })
      this.agents.settle()
    },
  })
  readonly agents: Agents
  readonly subject: Subject
  /** What was said of pins by hand, or by an unload that named a model. */
  readonly pins = new Map<ModelId, boolean>()
  /** Placements that may not be started before a time, as they broke. */
  readonly brokenUntil = new Map<string, number>()
  options: SchedulerOptions
  /** What each load was started as. */
  readonly startedAs = new Map<Generation, string | undefined>()
  /** The load whose end is being told, if any. */
  answeredLoad: Swap | undefined
  readonly #trace: Trace
  readonly #watches: readonly Watch[]
  readonly #deeds: Deeds
  readonly #journal: { readonly event: SchedulerEvent; readonly commands: readonly Command[] }[] = []
  #view: ReturnType<Scheduler['view']> | undefined
  #turns = 0

  constructor(factory: Factory, trace: Trace, watches: readonly Watch[]) {
    this.#trace = trace
    this.#watches = watches
    this.options = optionsOf(trace.setup)
    this.subject = new Subject(factory, this.options)
    this.agents = new Agents({
      clock: this.clock,
      hosts: Array.from({ length: trace.setup.hosts }, (_, place) => hostAt(place)),
      fateOf: (number) => this.fateAt(number),
      processHashOf: (model) => this.policyOf(model)?.processHash,
      slotsOf: (model, told) => this.policyOf(model)?.concurrencyLimit ?? told,
      send: (fact) => this.send(fact),
      servedBy: (process) => this.requests.servedBy(process).length,
      cut: (process, why) => this.requests.cut(process, why),
    })
    this.#deeds = new Deeds(this, trace.setup)
  }

  fateAt(number: number): Fate {
    const { fates } = this.#trace.setup
    return fates[number % fates.length] as Fate
  }

  policyOf(model: ModelId): ModelPolicy | undefined {
    return this.options.models.find(({ id }) => id === model)
  }

  isPinned(model: ModelId): boolean {
    return this.pins.get(model) ?? this.policyOf(model)?.pinned === true
  }

  /** What the scheduler shows now: made once for all rules that look at it after an event. */
  view(): ReturnType<Scheduler['view']> {
    return (this.#view ??= this.subject.scheduler.view(this.clock.now))
  }

  /** What happened last, for the report of a failure: in words only then. */
  lastLines(count: number): string[] {
    return this.#journal
      .slice(-count)
      .map(
        ({ event, commands }) =>
          `${event.now} ${briefly(event)} -> ${commands.map((command) => brief(command)).join(', ')}`,
      )
  }

  /** Plays the trace, then lets everything come to its end. */
  play(): void {
    for (const host of this.agents.hosts.values()) this.agents.appear(host)
    for (const [place, { waitMs, action }] of this.#trace.steps.entries()) {
      if (place === this.#trace.snapshotAt) this.subject.split(this.options)
      this.#moveTo(this.clock.now + waitMs)
      this.#deeds.do(action)
    }
    for (const host of this.agents.hosts.values()) if (!host.up) this.agents.appear(host)
    this.#moveTo(Infinity)
    const left = this.requests.all().filter(({ state }) => state !== 'ended')
    assert.deepEqual(
      left.map(({ request, state }) => `${request.id} ${state}`),
      [],
      'requests that never end',
    )
    assert.deepEqual(this.#deeds.openUnloads(), [], 'unloads that are never answered')
    assert.ok(this.agents.isIdle(), 'orders that never end')
  }

  send(fact: Fact): void {
    this.#turns += 1
    assert.ok(this.#turns < MOST_TURNS, 'the scheduler spins')
    const event = { ...fact, now: this.clock.now } as SchedulerEvent
    const commands = this.subject.decide(event)
    this.#journal.push({ event, commands })
    this.#view = undefined
    this.answeredLoad = event.type === 'swap-done' ? this.agents.swapOf(event.generation) : undefined
    for (const command of commands) {
      checkCommand(this, command)
      this.#carryOut(command)
    }
    for (const watch of this.#watches) watch(this, event, commands)
  }

  /** The configuration is another one from now on. */
  reload(options: SchedulerOptions): void {
    this.options = options
    for (const [model, pinned] of this.pins) if (!pinned || !this.policyOf(model)) this.pins.delete(model)
    this.brokenUntil.clear()
    for (const process of this.agents.processes()) if (process.phase === 'ready') this.agents.recountSlots(process)
    this.send({ type: 'config-changed', options })
  }

  #carryOut(command: Command): void {
    const { agents, requests } = this
    switch (command.type) {
      case 'grant': {
        const process = agents.processAt(command.placement)
        if (process !== undefined) requests.grant(command.request, process)
        break
      }
      case 'reject':
        requests.reject(command.request)
        break
      case 'close':
        requests.close(command.request)
        break
      case 'start-swap':
        this.startedAs.set(command.swap.generation, this.policyOf(command.swap.model)?.commandHash)
        agents.startSwap(command.swap)
        break
      case 'abort-swap':
        this.seen.add('abort')
        agents.abort(command.generation)
        break
      case 'stop':
        agents.stop(command)
        break
      case 'answer-unload':
        assert.ok(this.#deeds.answered(command.unload), 'an unload is answered twice')
        break
      default:
        command satisfies never
    }
  }

  /** Alarms and ticks in order of time; ticks first, as they are due before anything else happens then. */
  #moveTo(end: number): void {
    const { clock, subject } = this
    for (;;) {
      const alarm = clock.next() ?? Infinity
      const tick = subject.scheduler.nextTick() ?? Infinity
      const next = Math.min(alarm, tick)
      if (next > end || next === Infinity) break
      if (tick <= alarm) {
        clock.now = Math.max(clock.now, tick)
        this.send({ type: 'ticked' })
        assert.ok((subject.scheduler.nextTick() ?? Infinity) > clock.now, 'a tick leaves another one due at once')
      } else clock.ringNext()
    }
    if (end !== Infinity) clock.now = end
  }
}

const briefly = ({ now: _now, type, ...rest }: SchedulerEvent): string =>
  type === 'config-changed' ? type : `${type} ${JSON.stringify(rest)}`
