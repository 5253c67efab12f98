import { requestId, type CallerId, type ModelId } from '../ids.ts'
import type { Command } from '../schedule/commands.ts'
import { createScheduler } from '../schedule/create.ts'
import type { SchedulerOptions } from '../schedule/options.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import { createAgents, type Answer } from './agents.ts'
import { EventHeap } from './event-heap.ts'
import type { Fleet } from './fleet.ts'
import type { Process } from './host.ts'
import { createPromptBook } from './prompts.ts'
import { chainOfPrompt } from './trace/prompt.ts'
import { createLedger } from './ledger.ts'
import { summarise, type SimulationResult } from './result.ts'
import type { Trace } from './trace/trace.ts'

/** Plays a trace against the scheduler that the options name, on virtual time. */
export const simulate = (trace: Trace, fleet: Fleet, options: SchedulerOptions): SimulationResult =>
  simulateWith(createScheduler(options), trace, fleet)

const SERVED = 0
const STOPPED = 1
const LOADED = 2

/**
 * Plays a trace against a scheduler that has seen nothing yet. Of equal times what ends comes first, then arrivals, then
 * the tick. It ends when every request has; what was ordered and still runs then is followed to its end, too.
 */
export const simulateWith = (scheduler: Scheduler, trace: Trace, fleet: Fleet): SimulationResult => {
  const heap = new EventHeap()
  const ledger = createLedger(trace)
  const prompts = createPromptBook(trace)
  const processes: Process[] = []
  const servedBy: (Process | undefined)[] = []
  const firstAt = trace.at[0] ?? 0
  let now = 0
  let swaps = 0
  let earliestTick = 0
  const atEnd = { now: firstAt, idleMs: 0 }

  const agents = createAgents({
    fleet,
    startsAt: firstAt,
    now: () => now,
    announce: (what, at, process) => {
      processes[process.number] = process
      heap.push({ at, kind: what === 'ended' ? STOPPED : LOADED, subject: process.number })
    },
    cut: ({ running }) => {
      ledger.countCut(running.size)
      for (const place of running) heap.push({ at: now, kind: SERVED, subject: place })
    },
  })

  /** What is measured until the last request ends: orders may outlast it. */
  const noteEnd = (): void => {
    if (ledger.open > 0) return
    atEnd.now = now
    atEnd.idleMs = agents.idleMs(now)
  }

  const grant = ({ request, placement }: Extract<Command, { type: 'grant' }>): void => {
    const place = request - 1
    const process = agents.processAt(placement)
    agents.granted(process)
    ledger.granted(place, now)
    process.running.add(place)
    process.host.use.begin(now)
    servedBy[place] = process
    process.served += 1
    const readMs = prompts.begin(place, process, now)
    const writeMs = (trace.tokens[place] as number) * process.times.msPerToken
    heap.push({ at: now + readMs + writeMs, kind: SERVED, subject: place })
  }

  const carryOut = (commands: readonly Command[]): void => {
    for (const command of commands) {
      switch (command.type) {
        case 'grant':
          grant(command)
          break
        case 'reject':
          ledger.rejected(command.request - 1, command.failure.code)
          noteEnd()
          break
        case 'start-swap':
          swaps += 1
          agents.startSwap(command.swap)
          break
        case 'abort-swap':
          agents.abort(command.generation)
          break
        case 'stop':
          agents.stop(command)
          break
        case 'close':
          throw new Error('a request is closed, and none was passive')
        case 'answer-unload':
          throw new Error('an unload is answered that nobody asked for')
        default:
          command satisfies never
      }
    }
  }

  const tell = (answers: readonly Answer[]): void => {
    for (const answer of answers) {
      carryOut(
        answer.type === 'swap-done'
          ? scheduler.onSwapDone({ ...answer, now })
          : scheduler.onStopDone({ ...answer, now }),
      )
    }
  }

  const served = (place: number): void => {
    const process = servedBy[place]
    // One that was cut meets its own end later on
    if (process === undefined || !ledger.ended(place, now)) return
    servedBy[place] = undefined
    process.running.delete(place)
    process.host.use.end(now)
    prompts.end(place, process)
    noteEnd()
    carryOut(scheduler.onServeDone({ type: 'serve-done', now, request: requestId(place + 1), outcome: 'done' }))
  }

  const happen = (): void => {
    const { at, kind, subject } = heap.pop()
    now = at
    if (kind === SERVED) return served(subject)
    const process = processes[subject] as Process
    tell(kind === STOPPED ? agents.ended(process) : agents.loaded(process))
  }

  const arrive = (place: number): void => {
    now = trace.at[place] as number
    const prompt = trace.prompts?.[place]
    const request = {
      id: requestId(place + 1),
      model: trace.models[trace.model[place] as number] as ModelId,
      priority: trace.priority[place] as number,
      criticality: 'standard',
      caller: trace.callers[trace.caller[place] as number] as CallerId,
      takesSlot: true,
      noLoad: false,
      ...(prompt === undefined ? {} : { prefix: chainOfPrompt(prompt) }),
    } as const
    carryOut(scheduler.onRequest({ type: 'request-received', now, request }))
  }

  const tick = (at: number): void => {
    now = Math.max(now, at)
    // As in the live loop: a tick that leaves another one due at the same time must not spin
    earliestTick = now + 1
    carryOut(scheduler.onTick({ type: 'ticked', now }))
  }

  for (const { id, ready: models } of fleet.hosts) {
    const ready = models.map((model) => agents.begin({ model, host: id }))
    const observation = { type: 'host-appeared', host: id, ready } as const
    carryOut(scheduler.onFleetChange({ type: 'fleet-changed', now, observation }))
  }
  for (let arrived = 0; ;) {
    const arrivesAt = arrived < trace.length ? (trace.at[arrived] as number) : Infinity
    const next = Math.min(arrivesAt, heap.nextAt)
    if (next > now && ledger.open > 0) {
      const tickAt = Math.max(scheduler.nextTick() ?? Infinity, earliestTick)
      if (tickAt < next) {
        tick(tickAt)
        continue
      }
    }
    if (next === Infinity) break
    if (heap.nextAt <= arrivesAt) {
      happen()
    } else {
      arrive(arrived)
      arrived += 1
    }
  }
  if (ledger.open > 0) throw new Error(`the scheduler forgot ${ledger.open} requests`)
  const read = prompts.result()
  return {
    ...summarise({ trace, ledger, loads: agents.loads, stats: scheduler.stats(now) }),
    swaps,
    makespanMs: atEnd.now - firstAt,
    idleMs: atEnd.idleMs,
    servedByHost: agents.servedByHost(),
    ...(read === undefined ? {} : { prompts: read }),
  }
}
