import assert from 'node:assert/strict'
import {
  ANONYMOUS,
  callerId,
  epoch,
  placementKey,
  requestId,
  unloadId,
  type Command,
  type Generation,
  type ModelId,
  type ModelPolicy,
  type SchedulerEvent,
  type SchedulerOptions,
  type Swap,
} from '../../../src/index.ts'
import { brief } from '../fixtures.ts'
import { Agents } from './agents.ts'
import { makeClock } from './clock.ts'
import { checkCommand } from './check-command.ts'
import type { Process } from './host.ts'
import { exited, type Fact } from './orders.ts'
import { makeRequests } from './requests.ts'
import { hostAt, modelAt, optionsOf, type Action, type Fate, type Trace } from './setup.ts'
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
  readonly #unloads = new Set<number>()
  /** What happened, for the report of a failure. */
  readonly journal: string[] = []
  #turns = 0
  #asked = 0
  #unloaded = 0

  constructor(factory: Factory, trace: Trace, watches: readonly Watch[]) {
    this.#trace = trace
    this.#watches = watches
    this.options = optionsOf(trace.setup)
    this.subject = new Subject(factory, this.options)
    this.agents = new Agents({
      clock: this.clock,
      hosts: Array.from({ length: trace.setup.hosts }, (_, place) => hostAt(place)),
      fateOf: (number) => this.#fateAt(number),
      processHashOf: (model) => this.policyOf(model)?.processHash,
      slotsOf: (model, told) => this.policyOf(model)?.concurrencyLimit ?? told,
      send: (fact) => this.send(fact),
      servedBy: (process) => this.requests.servedBy(process).length,
      cut: (process, why) => this.requests.cut(process, why),
    })
  }

  policyOf(model: ModelId): ModelPolicy | undefined {
    return this.options.models.find(({ id }) => id === model)
  }

  isPinned(model: ModelId): boolean {
    return this.pins.get(model) ?? this.policyOf(model)?.pinned === true
  }

  /** Plays the trace, then lets everything come to its end. */
  play(): void {
    for (const host of this.agents.hosts.values()) this.agents.appear(host)
    for (const [place, { waitMs, action }] of this.#trace.steps.entries()) {
      if (place === this.#trace.snapshotAt) this.subject.split(this.options)
      this.#moveTo(this.clock.now + waitMs)
      this.#act(action)
    }
    for (const host of this.agents.hosts.values()) if (!host.up) this.agents.appear(host)
    this.#moveTo(Infinity)
    const left = this.requests.all().filter(({ state }) => state !== 'ended')
    assert.deepEqual(
      left.map(({ request, state }) => `${request.id} ${state}`),
      [],
      'requests that never end',
    )
    assert.deepEqual([...this.#unloads], [], 'unloads that are never answered')
    assert.ok(this.agents.isIdle(), 'orders that never end')
  }

  send(fact: Fact): void {
    this.#turns += 1
    assert.ok(this.#turns < MOST_TURNS, 'the scheduler spins')
    const event = { ...fact, now: this.clock.now } as SchedulerEvent
    const commands = this.subject.decide(event)
    this.journal.push(`${event.now} ${briefly(event)} -> ${commands.map((command) => brief(command)).join(', ')}`)
    this.answeredLoad = event.type === 'swap-done' ? this.agents.swapOf(event.generation) : undefined
    for (const command of commands) {
      checkCommand(this, command)
      this.#carryOut(command)
    }
    for (const watch of this.#watches) watch(this, event, commands)
  }

  #act(action: Action): void {
    const { agents, clock, requests } = this
    switch (action.type) {
      case 'ask': {
        this.#asked += 1
        const { priority, passive, noLoad } = action
        const { callerLimit } = this.#trace.setup
        const request = {
          id: requestId(this.#asked),
          model: modelAt(action.model),
          criticality: 'critical',
          ...(action.caller === 0 ? { caller: ANONYMOUS } : { caller: callerId(`k${action.caller}`) }),
          ...(action.caller === 0 || callerLimit === undefined ? {} : { callerLimit }),
          priority,
          takesSlot: action.takesSlot && !passive,
          ...(passive ? { passive } : {}),
          noLoad,
        } as const
        requests.add(request, action)
        this.send({ type: 'request-received', request })
        break
      }
      case 'cancel': {
        const waiting = requests.waiting()
        const asked = waiting[action.pick % Math.max(1, waiting.length)]
        if (asked === undefined) return
        asked.state = 'ended'
        this.send({ type: 'request-cancelled', request: asked.request.id })
        break
      }
      case 'crash': {
        const ready = this.#processes().filter(({ phase, host }) => phase === 'ready' && agents.hosts.get(host)?.up)
        const process = ready[action.pick % Math.max(1, ready.length)]
        if (process === undefined) return
        if (action.stale) this.send(exited(process, epoch(process.epoch - 1)))
        else {
          this.seen.add('crash')
          if (clock.now - process.readyAt < 30_000) this.brokenUntil.set(placementKey(process), clock.now + 1_000)
          agents.crash(process)
        }
        break
      }
      case 'end-unasked': {
        const ready = this.#processes().filter(({ phase, host }) => phase === 'ready' && agents.hosts.get(host)?.up)
        const process = ready[action.pick % Math.max(1, ready.length)]
        if (process === undefined) return
        this.seen.add('ended unasked')
        agents.endUnasked(process, this.#fateAt(action.pick), action.drainMs)
        break
      }
      case 'unload':
        this.#unload(action)
        break
      case 'host-down': {
        const host = agents.hosts.get(hostAt(action.host))
        if (host?.up !== true) return
        this.seen.add('host lost')
        agents.vanish(host, action.dies)
        break
      }
      case 'host-up': {
        const host = agents.hosts.get(hostAt(action.host))
        if (host?.up === false) agents.appear(host)
        break
      }
      case 'reload':
        this.options = optionsOf(this.#trace.setup, action.reload)
        for (const [model, pinned] of this.pins) if (!pinned || !this.policyOf(model)) this.pins.delete(model)
        this.brokenUntil.clear()
        for (const process of this.#processes()) if (process.phase === 'ready') agents.recountSlots(process)
        this.send({ type: 'config-changed', options: this.options })
        break
      case 'pin': {
        const { pinned } = action
        const model = modelAt(action.model)
        if (this.policyOf(model) !== undefined) this.pins.set(model, pinned)
        if (pinned) this.seen.add('pin')
        this.send({ type: 'pin-asked', model, pinned })
        break
      }
      default:
        action satisfies never
    }
  }

  #unload({ model, drainMs, force }: Extract<Action, { type: 'unload' }>): void {
    this.#unloaded += 1
    const unload = unloadId(this.#unloaded)
    this.#unloads.add(unload)
    const named = model === 'all' ? [] : [modelAt(model)]
    for (const id of named) if (this.isPinned(id)) this.pins.set(id, false)
    const isLoading = (id: ModelId): boolean =>
      [...this.agents.hosts.keys()].some((host) => this.agents.loadOf(id, host))
    if (named.some((id) => isLoading(id))) this.seen.add('unload during load')
    this.send({ type: 'unload-asked', unload, targets: model === 'all' ? 'all' : named, drainMs, force })
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
        assert.ok(this.#unloads.delete(command.unload), 'an unload is answered twice')
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

  #fateAt(number: number): Fate {
    const { fates } = this.#trace.setup
    return fates[number % fates.length] as Fate
  }

  #processes(): Process[] {
    return [...this.agents.hosts.values()].flatMap(({ processes }) => Array.from(processes.values()))
  }
}

const briefly = ({ now: _now, type, ...rest }: SchedulerEvent): string =>
  type === 'config-changed' ? type : `${type} ${JSON.stringify(rest)}`
