import { failureOf } from '@lswap/core'
import type { Epoch, Failure, ModelConfig } from '@lswap/core'
import { STOPPED_AS_ASKED } from '@lswap/core/protocol'
import type { ExitReport } from '../agent.ts'
import { adoptEngine } from './adopt.ts'
import { createAttempt } from './attempt.ts'
import type { StartOutcome } from './attempt.ts'
import { defined, redefined } from './definition.ts'
import { endChild } from './end-child.ts'
import type { Engine, EngineContext } from './engine.ts'
import { crashFailure, describeExit, exitReport } from './exit-report.ts'
import { createForeignListenerNotice } from './foreign-listener.ts'
import { STOPPED } from './owner-state.ts'
import type { OwnerState, ReadyState, StopReport, StoppingState } from './owner-state.ts'
import { createEarlyPreparation } from './prepare.ts'
import { startEngine } from './start.ts'
import type { StartOptions } from './start.ts'
import { createStopControl } from './stop-control.ts'
import { kindlyOf, stopEngine, stuckFailure } from './stop.ts'
import { settledWithin } from './wait.ts'
import type { RunRecord } from '../state/run-files.ts'

/** How long a crash waits for the engine's last words before it is told. */
const LAST_WORDS_MS = 50

export interface LifeHooks {
  readonly nextEpoch: () => Epoch
  /** The process ended without an order: while it was ready, or long after an order that it outlived. */
  readonly onExited: (epoch: Epoch, failure: Failure) => void
  /** A process is gone, however it ended. */
  readonly onGone?: () => void
  /** A process is ready. */
  readonly onReady?: () => void
}

/** The states of one model's process and the steps between them. What should happen is the owner's to decide. */
export interface ProcessLife {
  state(): OwnerState
  lastExit(): ExitReport | undefined
  /** Begins what the next start needs and what needs no memory. Returns what drops it, where no start took it. */
  prepare(): () => Promise<void>
  /** From `stopped` to `starting`. */
  start(): void
  /** From `stopped` to `ready`: a process that an earlier agent started. Why not, otherwise. Before anything is started. */
  adopt(record: RunRecord): Promise<string | undefined>
  /** From `ready` to `stopping`, with a drain. */
  stop(ready: ReadyState, failure: Failure): StoppingState
  /** From `ready` to `stopping`, because the engine is gone though its process may live on. */
  crash(ready: ReadyState): void
  /** Tries again to end a process that is stuck. */
  killAgain(stuck: StoppingState, failure: Failure): StoppingState
  /** Another definition of the model: for later starts, and for the end of a process that it describes too. */
  redefine(model: ModelConfig): void
  /** What its process was started from, as far as that still counts; without one, what the next is started from. */
  model(): ModelConfig
}

interface Ending {
  readonly context: EngineContext
  readonly epoch: Epoch
  readonly engine: Engine
  /** What requests that are cut are told. */
  readonly failure: Failure
  /** Ends the process; whether everything of it is gone. */
  readonly work: (stopping: StoppingState) => Promise<boolean>
  /** Why it ends, when it does so by itself. */
  readonly crash?: Promise<Failure>
}

export const createProcessLife = (first: EngineContext, hooks: LifeHooks): ProcessLife => {
  const { log, stuckAfterMs } = first
  const { id } = first.model
  const noteForeignListener = createForeignListenerNotice(log)
  /** For the next start. */
  let next = defined(first)
  let state: OwnerState = { phase: 'stopped', since: Date.now() }
  let lastExit: ExitReport | undefined
  const early = createEarlyPreparation()

  const endAtOnce = ({ engine, control, context: { model } }: StoppingState): Promise<boolean> =>
    endChild({ child: engine.child, graceMs: 0, hurry: control.hurry, kindly: kindlyOf(model), stuckAfterMs })

  const becomeStopped = (report: ExitReport): void => {
    lastExit = report
    hooks.onGone?.()
    state = { phase: 'stopped', since: Date.now() }
  }

  /** It may still end one day, and then the model can be started again. */
  const watchStuck = async (stopping: StoppingState): Promise<void> => {
    const { engine } = stopping
    const { child, output } = engine
    const exit = await child.exited
    if (state !== stopping || child.family.hasSurvivors()) return
    becomeStopped(exitReport(exit, `${describeExit(exit)}, long after it was told to`, output))
    await engine.forget()
    hooks.onExited(stopping.epoch, crashFailure(exit, output))
  }

  const becomeStuck = (stopping: StoppingState): StopReport => {
    const { child } = stopping.engine
    const failure = stuckFailure(stopping.context.model, child)
    stopping.stuck = failure
    log.error({ model: id, pid: child.pid }, failure.message)
    void watchStuck(stopping)
    return { outcome: 'stuck', failure }
  }

  const beginStop = ({ context: own, epoch, engine, failure, work, crash: told }: Ending): StoppingState => {
    const run = async (): Promise<StopReport> => {
      const gone = await work(stopping)
      stopping.control.end()
      if (!gone) return becomeStuck(stopping)
      await engine.forget()
      const reason = told === undefined ? STOPPED_AS_ASKED : (await told).message.replace(/;.*/s, '')
      becomeStopped(exitReport(engine.child.exit(), reason, engine.output))
      return STOPPED
    }
    const ended = Promise.resolve()
      .then(run)
      .catch((error: unknown) => {
        // A bug of ours: the process may run on, and nobody may start another beside it.
        log.error({ err: error, model: id }, 'the stop failed unexpectedly')
        return becomeStuck(stopping)
      })
    const control = createStopControl(failure)
    const stopping: StoppingState = {
      phase: 'stopping',
      context: own,
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
    const { context: own, epoch, engine, connections } = ready
    const exit = engine.child.exit()
    const tell = async (): Promise<Failure> => {
      await settledWithin(engine.child.outputClosed, LAST_WORDS_MS)
      const failure = crashFailure(exit, engine.output)
      log.error({ model: id, epoch, ...exit }, failure.message)
      own.guard.onCrash(exit, Date.now() - ready.since)
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
    beginStop({ context: own, epoch, engine, failure, work, crash: told })
  }

  const becomeReady = (
    own: EngineContext,
    { epoch, engine, slots }: Pick<ReadyState, 'epoch' | 'engine' | 'slots'>,
  ): StartOutcome => {
    const connections = own.openConnections(engine.target)
    const ready: ReadyState = { phase: 'ready', context: own, since: Date.now(), epoch, engine, connections, slots }
    state = ready
    void engine.child.exited.then(() => crash(ready))
    hooks.onReady?.()
    noteForeignListener({ model: id, engine, isReady: () => state === ready })
    return { outcome: 'ready', epoch, slots }
  }

  const attemptStart = async (own: EngineContext, options: StartOptions): Promise<StartOutcome> => {
    const { epoch } = options
    try {
      const result = await startEngine(own, options)
      if (result.outcome === 'ready') return becomeReady(own, { epoch, engine: result.engine, slots: result.slots })
      const { outcome, failure, report, stuck } = result
      if (stuck === undefined) becomeStopped(report)
      else await beginStop({ context: own, epoch, engine: stuck, failure, work: async () => false }).ended
      return outcome === 'aborted' ? { outcome } : { outcome, failure }
    } catch (error) {
      const failure = failureOf(error)
      log.error({ err: error, model: id }, 'the start failed unexpectedly')
      becomeStopped({ code: undefined, signal: undefined, reason: failure.message, lastLines: [] })
      return { outcome: 'failed', failure }
    }
  }

  return {
    state: () => state,
    lastExit: () => lastExit,
    prepare: () => (state.phase === 'stopped' ? early.begin(next.context) : async () => {}),
    start() {
      const epoch = hooks.nextEpoch()
      const { context: own, recallSlots } = next
      const prepared = early.take()
      // Not before the state says so: the attempt changes it when it ends.
      const attempt = createAttempt(async (signal, reports) => {
        await Promise.resolve()
        return attemptStart(own, { epoch, signal, recallSlots, prepared, ...reports })
      })
      state = { phase: 'starting', context: own, since: Date.now(), epoch, attempt }
    },
    async adopt(record) {
      const { context: own } = next
      const adoption = await adoptEngine(own, record)
      if (!adoption.ok) return adoption.reason
      const { engine, slots } = adoption
      const epoch = hooks.nextEpoch()
      becomeReady(own, { epoch, engine, slots })
      log.info({ model: id, pid: record.pid, epoch }, 'a process of an earlier agent is taken over')
      return undefined
    },
    stop: ({ context: own, epoch, engine, connections }, failure) =>
      beginStop({
        context: own,
        epoch,
        engine,
        failure,
        work: ({ control }) => stopEngine(own, { engine, connections }, control),
      }),
    crash,
    killAgain: ({ context: own, epoch, engine }, failure) =>
      beginStop({ context: own, epoch, engine, failure, work: endAtOnce }),
    redefine(model) {
      next = redefined(next, model)
    },
    model: () => (state.phase === 'stopped' ? next : state).context.model,
  }
}
