import type { HostId, ModelId } from '../ids.ts'
import { timesOf, type EngineTimes, type SimulatedHost } from './fleet.ts'
import type { PromptCache } from './prompt-cache.ts'

/** The place of one model on a host, with the engine that runs there, if one does. */
export interface Process {
  /** Names it in the heap of events. */
  readonly number: number
  readonly model: ModelId
  readonly host: Host
  readonly times: EngineTimes
  phase: 'stopped' | 'loading' | 'ready' | 'stopping'
  epoch: number
  /** When its present load ends. */
  loadedAt: number
  /** Places in the trace of the requests that it serves. */
  readonly running: Set<number>
  /** Requests that it was granted, in all its starts. */
  served: number
  /** Whether this start of it served anybody yet. */
  isUseful: boolean
  /** What it has of prompts, made when first needed; a new start has none. */
  cache: PromptCache | undefined
}

export interface Host {
  readonly id: HostId
  readonly spec: SimulatedHost
  readonly processes: Map<ModelId, Process>
  readonly use: UseMeter
}

/** Measures how long nothing is going on. */
export interface UseMeter {
  begin(now: number): void
  end(now: number): void
  /** Milliseconds without use until `now`. */
  idleMs(now: number): number
}

export const createUseMeter = (from: number): UseMeter => {
  let uses = 0
  let idleFrom = from
  let idle = 0
  return {
    begin: (now) => {
      if (uses === 0) idle += now - idleFrom
      uses += 1
    },
    end: (now) => {
      uses -= 1
      if (uses === 0) idleFrom = now
    },
    idleMs: (now) => (uses === 0 ? idle + now - idleFrom : idle),
  }
}

/** A host with nothing on it. */
export const newHost = (spec: SimulatedHost, startsAt: number): Host => ({
  id: spec.id,
  spec,
  processes: new Map(),
  use: createUseMeter(startsAt),
})

/** The process of a model on a host, made when first asked for; `all` numbers them. */
export const processOn = (host: Host, model: ModelId, all: Process[]): Process => {
  const known = host.processes.get(model)
  if (known !== undefined) return known
  const made: Process = {
    number: all.length,
    model,
    host,
    times: timesOf(host.spec, model),
    phase: 'stopped',
    epoch: 0,
    loadedAt: 0,
    running: new Set(),
    served: 0,
    isUseful: false,
    cache: undefined,
  }
  host.processes.set(model, made)
  all.push(made)
  return made
}
