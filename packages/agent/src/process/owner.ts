import { processIdentity, type Epoch, type Failure, type ModelConfig, type ModelId } from '@lswap/core'
import type { ProcessView } from '../agent.ts'
import type { OnProgress, StartOutcome, Wish } from './attempt.ts'
import type { EngineConnections } from './engine-connections.ts'
import type { EngineContext } from './engine.ts'
import { createProcessLife } from './life.ts'
import type { LifeHooks } from './life.ts'
import { isListening } from './listening.ts'
import { STOPPED, engineOf, livingChild, phaseOf } from './owner-state.ts'
import type { OwnerState, ReadyState, StopReport, StoppedState, StoppingState } from './owner-state.ts'
import type { RunRecord } from '../state/run-files.ts'
import { kindlyOf } from './stop.ts'
import { isLoopback, targetUrl, type EngineTarget } from './target.ts'
import { aborted, settledWithin } from './wait.ts'

/** How long after a broken connection the engine's exit may become known. */
const FATE_MS = 50
/** How long the exit of an engine that listens no more may take to become known; a big one needs time to end. */
const UNSEEN_MS = 500

export interface StartIntent {
  /** Takes the wish back. */
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress
}

export interface StopIntent {
  /** How long running requests may go on; 0 cuts now. */
  readonly drainMs: number
  /** What requests that are cut are told. */
  readonly failure: Failure
  /** Kills without grace. */
  readonly now?: boolean
}

/** What is known of its process without asking the system. */
export type OwnerView = Omit<ProcessView, 'memoryBytes'>

/** The one owner of a model's process: everybody else says what they want, it decides what to do. */
export interface ProcessOwner {
  readonly model: ModelId
  /** Joins a running start, waits for a running stop. A later `ensureStopped` cancels it. Never rejects. */
  ensureReady(intent: StartIntent): Promise<StartOutcome>
  /** Cancels every earlier wish that it be ready, and resolves when the process is gone or stuck. Never rejects. */
  ensureStopped(intent: StopIntent): Promise<StopReport>
  isStopped(): boolean
  /** A start is to come: does what needs no memory. Returns what drops it, where none came. */
  prepare(): () => Promise<void>
  /** The end of a process that is being stopped; undefined: none is, or it would not end. */
  ending(): Promise<StopReport> | undefined
  /** Connections to the process that started as `epoch`, while it is ready. */
  connections(epoch: Epoch): EngineConnections | undefined
  /** Why the process of this epoch ended by itself, if it did; waits a moment for its exit to show. */
  fateOf(epoch: Epoch): Promise<Failure | undefined>
  /** Takes over a process that an earlier agent started, before anything is started; why not, otherwise. */
  adopt(record: RunRecord): Promise<string | undefined>
  /** Lets go of a process that is to outlive this agent; false: there is none. */
  leave(failure: Failure): boolean
  /** Kills the process group (one that must not be killed is asked to end), unless it is to outlive this agent, without waiting, for when this process itself is about to end. */
  killNow(): void
  /** Another definition of the model: for later starts, and for the end of a process that it describes too. */
  redefine(model: ModelConfig): void
  /** The process that is ready, and where it listens. */
  serving(): { readonly epoch: Epoch; readonly target: EngineTarget } | undefined
  /** What its process was started from, or what the next one is started from. */
  definition(): ModelConfig
  /** Costs nothing. */
  view(): OwnerView
}

const readyOutcome = ({ epoch, slots }: ReadyState): StartOutcome => ({ outcome: 'ready', epoch, slots })

/** Whether the process outlives this agent: it was started so, and is still meant to. */
const isToStay = (state: OwnerState): state is ReadyState =>
  state.phase === 'ready' && state.engine.isKept && state.context.model.onAgentExit === 'keep'

const silent: OnProgress = () => {}

const endStopping = (stopping: StoppingState, { drainMs, failure, now }: StopIntent): Promise<StopReport> => {
  if (now === true) stopping.control.killNow(failure)
  else stopping.control.limitDrain(drainMs, failure)
  return stopping.ended
}

export const createProcessOwner = (context: EngineContext, hooks: LifeHooks): ProcessOwner => {
  const { id } = context.model
  const life = createProcessLife(context, hooks)
  const wishes = new Set<AbortController>()

  /** One step towards ready; undefined: look again. */
  const approach = async (wish: Wish, left: Promise<void>): Promise<StartOutcome | undefined> => {
    if (life.state().phase === 'stopped') life.start()
    const state = life.state()
    if (state.phase === 'ready') return readyOutcome(state)
    if (state.phase === 'starting') return state.attempt.join(wish)
    if (state.phase === 'stopped') return undefined
    const report = await Promise.race([state.ended, left])
    return report?.outcome === 'stuck' ? { outcome: 'failed', failure: report.failure } : undefined
  }

  const fulfil = async (wish: Wish): Promise<StartOutcome> => {
    const left = aborted(wish.signal)
    try {
      while (!wish.signal.aborted) {
        const outcome = await approach(wish, left.fired)
        if (outcome !== undefined) return outcome
      }
      const state = life.state()
      // Too late to give up: it serves, and whoever counts processes must know.
      return state.phase === 'ready' ? readyOutcome(state) : { outcome: 'aborted' }
    } finally {
      left.release()
    }
  }

  const stopOnce = async (state: Exclude<OwnerState, StoppedState>, intent: StopIntent): Promise<StopReport> => {
    if (state.phase === 'starting') {
      state.attempt.giveUp()
      await state.attempt.ended
      return STOPPED
    }
    if (state.phase === 'ready') return endStopping(life.stop(state, intent.failure), intent)
    if (state.stuck !== undefined) return life.killAgain(state, intent.failure).ended
    return endStopping(state, intent)
  }

  return {
    model: id,
    async ensureReady({ signal, onProgress = silent }) {
      const wish = new AbortController()
      const leave = (): void => wish.abort()
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
      wishes.add(wish)
      try {
        return await fulfil({ signal: wish.signal, onProgress })
      } finally {
        wishes.delete(wish)
        signal.removeEventListener('abort', leave)
      }
    },
    async ensureStopped(intent) {
      for (const wish of wishes) wish.abort()
      const first = life.state()
      // Another epoch is a later wish's: the process that had to go is gone then.
      for (let state = first; state.phase !== 'stopped'; state = life.state()) {
        if (first.phase === 'stopped' || state.epoch !== first.epoch) break
        const report = await stopOnce(state, intent)
        if (report.outcome === 'stuck') return report
      }
      return STOPPED
    },
    isStopped: () => life.state().phase === 'stopped',
    prepare: () => life.prepare(),
    ending() {
      const state = life.state()
      return state.phase === 'stopping' && state.stuck === undefined ? state.ended : undefined
    },
    connections(epoch) {
      const state = life.state()
      return state.phase === 'ready' && state.epoch === epoch ? state.connections : undefined
    },
    async fateOf(epoch) {
      const before = life.state()
      if (before.phase === 'ready' && before.epoch === epoch) {
        const { child, target } = before.engine
        const exited = await settledWithin(child.exited, FATE_MS)
        if (!exited && isLoopback(target) && !(await isListening(target.host, target.port))) {
          // It is about to be gone, or it ended unseen behind a wrapper that lives on; either way it serves nobody.
          await settledWithin(child.exited, UNSEEN_MS)
          life.crash(before)
        }
      }
      const state = life.state()
      return state.phase === 'stopping' && state.epoch === epoch ? state.crash : undefined
    },
    redefine: (next) => life.redefine(next),
    definition: () => life.model(),
    serving() {
      const state = life.state()
      return state.phase === 'ready' ? { epoch: state.epoch, target: state.engine.target } : undefined
    },
    adopt: (record) => life.adopt(record),
    leave(failure) {
      const state = life.state()
      if (!isToStay(state)) return false
      state.connections.close(failure)
      state.engine.child.release()
      return true
    },
    killNow() {
      if (isToStay(life.state())) return
      livingChild(life.state())?.family.signal(kindlyOf(life.model())?.signal ?? 'SIGKILL')
    },
    view() {
      const state = life.state()
      const engine = engineOf(state)
      const pid = livingChild(state)?.pid
      return {
        model: id,
        phase: phaseOf(state),
        epoch: state.phase === 'stopped' ? undefined : state.epoch,
        pid,
        slots: state.phase === 'ready' ? state.slots : undefined,
        processHash: processIdentity(life.model()),
        url: engine === undefined ? undefined : targetUrl(engine.target),
        since: state.since,
        lastExit: life.lastExit(),
      }
    },
  }
}
