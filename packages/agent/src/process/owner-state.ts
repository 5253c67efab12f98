import type { Epoch, Failure } from '@lswap/core'
import type { ProcessPhase } from '../agent.ts'
import type { Attempt } from './attempt.ts'
import type { Child } from './child.ts'
import type { EngineConnections } from './engine-connections.ts'
import type { Engine, EngineContext } from './engine.ts'
import type { StopControl } from './stop-control.ts'

/** What became of a stop: `stuck` means that the process runs on and keeps its memory. */
export type StopReport = { readonly outcome: 'stopped' } | { readonly outcome: 'stuck'; readonly failure: Failure }

export const STOPPED: StopReport = { outcome: 'stopped' }

export interface StoppedState {
  readonly phase: 'stopped'
  readonly since: number
}

export interface StartingState {
  readonly phase: 'starting'
  /** What its process is started with, whatever is configured by now. */
  readonly context: EngineContext
  readonly since: number
  readonly epoch: Epoch
  readonly attempt: Attempt
}

export interface ReadyState {
  readonly phase: 'ready'
  readonly context: EngineContext
  readonly since: number
  readonly epoch: Epoch
  readonly engine: Engine
  readonly connections: EngineConnections
  /** Requests it serves at once, when it tells. */
  readonly slots: number | undefined
}

export interface StoppingState {
  readonly phase: 'stopping'
  readonly context: EngineContext
  readonly since: number
  readonly epoch: Epoch
  readonly engine: Engine
  readonly control: StopControl
  readonly ended: Promise<StopReport>
  /** Set when the stop was given up. */
  stuck: Failure | undefined
  /** Why it ended, when it did so by itself; known shortly after its exit. */
  readonly crash: Promise<Failure> | undefined
}

/** What the one process of a model is doing; fields exist where they mean something. */
export type OwnerState = StoppedState | StartingState | ReadyState | StoppingState

/** A start that was given up is on its way out, whatever it does meanwhile. */
export const phaseOf = (state: OwnerState): ProcessPhase =>
  state.phase === 'starting' && state.attempt.isGivenUp() ? 'stopping' : state.phase

export const engineOf = (state: OwnerState): Engine | undefined => {
  if (state.phase === 'stopped') return undefined
  return state.phase === 'starting' ? state.attempt.engine() : state.engine
}

/** The child, unless it ended and left nobody: then its number is not ours any more. */
export const livingChild = (state: OwnerState): Child | undefined => {
  const child = engineOf(state)?.child
  return child !== undefined && (child.exit() === undefined || child.family.hasSurvivors()) ? child : undefined
}
