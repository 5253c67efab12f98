import { failureOf } from '@lswap/core'
import type { Epoch, Failure } from '@lswap/core'
import type { ExitReport } from '../agent.ts'
import { createAttempt } from './attempt.ts'
import type { AttemptReports, StartOutcome } from './attempt.ts'
import { endChild } from './end-child.ts'
import type { Engine, EngineContext } from './engine.ts'
import { crashFailure, describeExit, exitReport } from './exit-report.ts'
import { createForeignListenerNotice } from './foreign-listener.ts'
import { STOPPED } from './owner-state.ts'
import type { OwnerState, ReadyState, StopReport, StoppingState } from './owner-state.ts'
import { createSlotMemory } from './slots.ts'
import { startEngine } from './start.ts'
import { createStopControl } from './stop-control.ts'
import { stopEngine, stuckFailure } from './stop.ts'
import { settledWithin } from './wait.ts'

/** How long a crash waits for the engine's last words before it is told. */
const LAST_WORDS_MS = 50

export interface LifeHooks {
  readonly nextEpoch: () => Epoch
  /** The process ended without an order: while it was ready, or long after an order that it outlived. */
  readonly onExited: (epoch: Epoch, failure: Failure) => void
}

/** The states of one model's process and the steps between them. What should happen is the owner's to decide. */
export interface ProcessLife {
  state(): OwnerState
  lastExit(): ExitReport | undefined
  /** From `stopped` to `starting`. */
  start(): void
  /** From `ready` to `stopping`, with a drain. */
  stop(ready: ReadyState, failure: Failure): StoppingState
  /** From `ready` to `stopping`, because the engine is gone though its process may live on. */
  crash(ready: ReadyState): void
  /** Tries again to end a process that is stuck. */
  killAgain(stuck: StoppingState, failure: Failure): StoppingState
}

interface Ending {
  readonly epoch: Epoch
  readonly engine: Engine
  /** What requests that are cut are told. */
  readonly failure: Failure
  /** Ends the process; whether everything of it is gone. */
  readonly work: (stopping: StoppingState) => Promise<boolean>
  /** Why it ends, when it does so by itself. */
  readonly crash?: Promise<Failure>
}

export const createProcessLife = (context: EngineContext, hooks: LifeHooks): ProcessLife => {
  const { model, log, stuckAfterMs } = context
  const noteForeignListener = createForeignListenerNotice(log)
  const recallSlots = createSlotMemory()
  let state: OwnerState = { phase: 'stopped', since: Date.now() }
  let lastExit: ExitReport | undefined

  const endAtOnce = ({ engine, control }: StoppingState): Promise<boolean> =>
    endChild({ child: engine.child, graceMs: 0, hurry: control.hurry, stuckAfterMs })

  const becomeStopped = (report: ExitReport): void => {
    lastExit = report
    state = { phase: 'stopped', since: Date.now() }
  }

  /** It may still end one day, and then the model can be started again. */
  const watchStuck = async (stopping: StoppingState): Promise<void> => {
    const { engine } = stopping
    const { child, output } = engine
    const exit = await child.exited
    if (state !== stopping || child.family.hasSurvivors()) return
    becomeStopped(exitReport(exit, `${describeExit(exit)}, long after it was killed`, output))
    await engine.forget()
    hooks.onExited(stopping.epoch, crashFailure(exit, output))
  }

  const becomeStuck = (stopping: StoppingState): StopReport => {
    const { child } = stopping.engine
    const failure = stuckFailure(model, child)
    stopping.stuck = failure
    log.error({ model: model.id, pid: child.pid }, failure.message)
    void watchStuck(stopping)
    return { outcome: 'stuck', failure }
  }

  const beginStop = ({ epoch, engine, failure, work, crash: told }: Ending): StoppingState => {
    const run = async (): Promise<StopReport> => {
      const gone = await work(stopping)
      stopping.control.end()
      if (!gone) return becomeStuck(stopping)
      await engine.forget()
      const reason = told === undefined ? 'stopped as asked' : (await told).message.replace(/;.*/s, '')
      becomeStopped(exitReport(engine.child.exit(), reason, engine.output))
      return STOPPED
    }
    const ended = Promise.resolve()
      .then(run)
      .catch((error: unknown) => {
        // A bug of ours: the process may run on, and nobody may start another beside it.
        log.error({ err: error, model: model.id }, 'the stop failed unexpectedly')
        return becomeStuck(stopping)
      })
    const control = createStopControl(failure)
    const stopping: StoppingState = {
      phase: 'stopping',
      since: Date.now(),
      epoch,
      engine,
      control,
      ended,
      crash: told,
      stuck: undefined,
    }
    state = stopping
    return stopping
  }

  const crash = (ready: ReadyState): void => {
    if (state !== ready) return
    const { epoch, engine, connections } = ready
    const exit = engine.child.exit()
    const tell = async (): Promise<Failure> => {
      await settledWithin(engine.child.outputClosed, LAST_WORDS_MS)
      const failure = crashFailure(exit, engine.output)
      log.error({ model: model.id, epoch, ...exit }, failure.message)
      context.guard.onCrash(exit, Date.now() - ready.since)
      // First the fact, then its effects: nobody may send a cut request to this process again.
      hooks.onExited(epoch, failure)
      connections.close(failure)
      return failure
    }
    const told = tell()
    const work = async (stopping: StoppingState): Promise<boolean> => {
      await told
      return endAtOnce(stopping)
    }
    const failure: Failure = { code: 'upstream_died', message: 'the engine ended by itself' }
    beginStop({ epoch, engine, failure, work, crash: told })
  }

  const becomeReady = (epoch: Epoch, engine: Engine, slots: number | undefined): StartOutcome => {
    const connections = context.openConnections(engine.target)
    const ready: ReadyState = { phase: 'ready', since: Date.now(), epoch, engine, connections, slots }
    state = ready
    void engine.child.exited.then(() => crash(ready))
    noteForeignListener({ model: model.id, engine, isReady: () => state === ready })
    return { outcome: 'ready', epoch, slots }
  }

  const attemptStart = async (epoch: Epoch, signal: AbortSignal, reports: AttemptReports): Promise<StartOutcome> => {
    try {
      const result = await startEngine(context, { epoch, signal, recallSlots, ...reports })
      if (result.outcome === 'ready') return becomeReady(epoch, result.engine, result.slots)
      const { outcome, failure, report, stuck } = result
      if (stuck === undefined) becomeStopped(report)
      else await beginStop({ epoch, engine: stuck, failure, work: async () => false }).ended
      return outcome === 'aborted' ? { outcome } : { outcome, failure }
    } catch (error) {
      const failure = failureOf(error)
      log.error({ err: error, model: model.id }, 'the start failed unexpectedly')
      becomeStopped({ code: undefined, signal: undefined, reason: failure.message, lastLines: [] })
      return { outcome: 'failed', failure }
    }
  }

  return {
    state: () => state,
    lastExit: () => lastExit,
    start() {
      const epoch = hooks.nextEpoch()
      // Not before the state says so: the attempt changes it when it ends.
      const attempt = createAttempt(async (signal, reports) => {
        await Promise.resolve()
        return attemptStart(epoch, signal, reports)
      })
      state = { phase: 'starting', since: Date.now(), epoch, attempt }
    },
    stop: ({ epoch, engine, connections }, failure) =>
      beginStop({
        epoch,
        engine,
        failure,
        work: ({ control }) => stopEngine(context, { engine, connections }, control),
      }),
    crash,
    killAgain: ({ epoch, engine }, failure) => beginStop({ epoch, engine, failure, work: endAtOnce }),
  }
}
