import type {
  Command,
  Eviction,
  Failure,
  Generation,
  HostId,
  ModelId,
  SchedulerEvent,
  StopOutcome,
  Swap,
  SwapResult,
} from '../../../src/index.ts'
import type { VirtualClock } from './clock.ts'
import type { Host, Process } from './host.ts'
import type { Fate } from './setup.ts'

type WithoutNow<Event> = Event extends SchedulerEvent ? Omit<Event, 'now'> : never
/** An event that still needs its time. */
export type Fact = WithoutNow<SchedulerEvent>

export interface AgentsOptions {
  readonly clock: VirtualClock
  readonly hosts: readonly HostId[]
  readonly fateOf: (generation: Generation) => Fate
  readonly slotsOf: (model: ModelId, told: number) => number
  readonly processHashOf: (model: ModelId) => string | undefined
  readonly send: (fact: Fact) => void
  /** Requests that a process serves, with or without a slot. */
  readonly servedBy: (process: Process) => number
  /** Ends what the process serves. */
  readonly cut: (process: Process, why: 'evicted' | 'died') => void
}

/** A result whose timings are the world's to say. */
export type Untimed<Result> = Result extends SwapResult ? Omit<Result, 'timings'> : never

export interface SwapOrder {
  readonly swap: Swap
  readonly fate: Fate
  phase: 'stopping' | 'loading' | 'ended'
  aborted: boolean
}

export interface StopOrder {
  readonly order: Extract<Command, { type: 'stop' }>
  readonly outcomes: Map<string, StopOutcome>
  ended: boolean
}

const DIED: Failure = { code: 'upstream_died', message: 'signal SIGSEGV' }
export const UNREACHABLE: Failure = { code: 'host_unreachable', message: 'the host does not answer' }
export const STUCK: Failure = { code: 'stop_failed', message: 'it would not end' }
export const FAILED: Failure = { code: 'start_failed', message: 'exit code 1' }
export const OUT_OF_MEMORY: Failure = { code: 'out_of_memory', message: 'cudaMalloc failed' }
export const TIMINGS = { stopMs: 5, memoryMs: 0, loadMs: 50 }

export const stoppedAll = ({ swap }: SwapOrder): Eviction[] =>
  swap.evict.map((model) => ({ model, outcome: 'stopped' }))

export const keptAll = ({ swap }: SwapOrder): Eviction[] => swap.evict.map((model) => ({ model, outcome: 'kept' }))

export const stoppedBut = ({ swap }: SwapOrder, stuck: readonly ModelId[]): Eviction[] =>
  swap.evict.map((model) =>
    stuck.includes(model) ? { model, outcome: 'stuck', failure: STUCK } : { model, outcome: 'stopped' },
  )

/** What survives on a host that is out of reach was not stopped. */
export const keptOn = ({ swap }: SwapOrder, { processes }: Host): Eviction[] =>
  swap.evict.map((model) => ({ model, outcome: processes.has(model) ? 'kept' : 'stopped' }))

export const vanished = ({ id }: Host): Fact => ({
  type: 'fleet-changed',
  observation: { type: 'host-vanished', host: id, failure: UNREACHABLE },
})

export const appeared = ({ id, processes }: Host): Fact => {
  const alive = [...processes.values()]
  // What the engine told, as agents do: a limit of the configuration is the scheduler's to know
  const ready = alive.flatMap(({ model, epoch, told, phase }) =>
    phase === 'ready' ? { model, epoch, slots: told } : [],
  )
  const changing = alive.flatMap(({ model, epoch, phase }) => (phase === 'ready' ? [] : { model, epoch }))
  return { type: 'fleet-changed', observation: { type: 'host-appeared', host: id, ready, changing } }
}

export const leaving = ({ model, host, epoch }: Process): Fact => ({
  type: 'fleet-changed',
  observation: { type: 'process-leaving', placement: { model, host }, epoch },
})

export const exited = ({ model, host }: Process, epoch: Process['epoch']): Fact => ({
  type: 'fleet-changed',
  observation: { type: 'process-exited', placement: { model, host }, epoch, failure: DIED },
})
