import type { Epoch, Failure } from '@lswap/core'
import type { ExitReport } from '../agent.ts'
import type { AttemptReports } from './attempt.ts'
import { setUpAdapters } from './adapters.ts'
import type { EngineCommand } from './command.ts'
import { endChild } from './end-child.ts'
import type { Engine, EngineContext } from './engine.ts'
import { describeExit, exitReport, quoteOutput, ranOutOfMemory, startExitFailure } from './exit-report.ts'
import { runHooks } from './hooks.ts'
import { launchEngine, portConflict } from './launch.ts'
import { readLoadReport } from './load-report.ts'
import { prepareStart, type Prepared } from './prepare.ts'
import { createProber } from './probe.ts'
import { watchReadiness } from './readiness.ts'
import type { Readiness } from './readiness.ts'
import type { RecallSlots } from './slots.ts'
import { kindlyOf, stuckFailure } from './stop.ts'
import { createSlotKeeper, savesElsewhere, type SlotKeeper } from '../slot-files/keeper.ts'
import { choosesPort } from './target.ts'

export type StartResult =
  | { readonly outcome: 'ready'; readonly engine: Engine; readonly slots: number | undefined }
  | {
      readonly outcome: 'failed' | 'aborted'
      readonly failure: Failure
      readonly report: ExitReport
      /** Set when the process would not go away. */
      readonly stuck?: Engine
    }

export interface StartOptions extends AttemptReports {
  readonly epoch: Epoch
  readonly recallSlots: RecallSlots
  /** Gives the start up: the process is killed at once. */
  readonly signal: AbortSignal
  /** What was prepared before it was wanted. */
  readonly prepared?: Promise<Prepared> | undefined
}

/** Until the watch for readiness runs, a line of output tells nothing. */
const noHint = (): void => {}

const ABORTED: Failure = { code: 'cancelled', message: 'the start was given up' }

const neverStarted = (outcome: 'failed' | 'aborted', failure: Failure): StartResult => ({
  outcome,
  failure,
  report: { code: undefined, signal: undefined, reason: failure.message, lastLines: [] },
})

/** Why an engine that ended by itself did: often because somebody took its port after we looked. */
const selfExitFailure = async (engine: Engine): Promise<Failure> => {
  const exit = engine.child.exit() ?? { code: undefined, signal: undefined }
  const conflict = ranOutOfMemory(engine.output) ? undefined : await portConflict(engine.target)
  if (conflict === undefined) return startExitFailure(exit, engine.output)
  return {
    ...conflict,
    message: quoteOutput(`${conflict.message}, and the engine ${describeExit(exit)}`, engine.output),
  }
}

const timeoutFailure = (limitMs: number, url: string, detail: string): Failure => ({
  code: 'start_timeout',
  message: `the engine was not ready within ${limitMs} ms: ${url} last said: ${detail}`,
  hint: 'Raise healthCheckTimeout for slow loads, or correct checkEndpoint.',
})

/** Watches the engine until it is ready, has ended, is given up or late. */
const watchStart = async (
  engine: Engine,
  context: EngineContext,
  options: StartOptions & { onHint(hint: () => void): void },
) => {
  const { model } = context
  const over = new AbortController()
  const end = (): void => over.abort()
  options.signal.addEventListener('abort', end, { once: true })
  if (options.signal.aborted) end()
  void engine.child.exited.then(end)
  const prober = createProber(engine.target, model.checkEndpoint)
  const watch = watchReadiness({ prober, limitMs: model.healthCheckTimeoutMs, signal: over.signal })
  options.onHint(() => watch.hint())
  try {
    const readiness: Readiness = await watch.result
    if (readiness.outcome === 'ready') {
      await setUpAdapters(engine.target, context, over.signal)
      await engine.keeper?.restore(engine.target, over.signal)
    }
    const slots = readiness.outcome === 'ready' ? await options.recallSlots(engine.target, over.signal) : undefined
    // Begun at the spawn and long done, unless the disk is slower than the load.
    await engine.recorded
    return { readiness, slots, url: prober.url }
  } finally {
    options.signal.removeEventListener('abort', end)
  }
}

const keeperFor = async (context: EngineContext, { file, args }: EngineCommand): Promise<SlotKeeper | undefined> => {
  const { model, slotFiles, log } = context
  if (model.saveSlots !== true || slotFiles === undefined) return undefined
  if (savesElsewhere(args)) {
    log.warn({ model: model.id }, 'saveSlots: nothing is kept, as its command has a --slot-save-path of its own')
    return undefined
  }
  try {
    await slotFiles.folder.make()
    return createSlotKeeper({ ...slotFiles, model, program: file, log })
  } catch (error) {
    log.warn({ err: error, model: model.id }, 'saveSlots: nothing is kept, as there is no folder for it')
    return undefined
  }
}

/** Ports tried for one start: a stranger may take the chosen one between our look and the engine's bind. */
const PORTS_TRIED = 3

/** Starts the engine, on another port when ours was taken meanwhile. Whatever is not ready in the end is gone, or is reported as stuck. */
export const startEngine = async (context: EngineContext, options: StartOptions): Promise<StartResult> => {
  let { prepared } = options
  for (let tries = 1; ; tries += 1) {
    const result = await startOnce(context, { ...options, prepared })
    const isTaken = result.outcome === 'failed' && result.failure.code === 'port_in_use'
    if (!isTaken || !choosesPort(context.model) || tries === PORTS_TRIED) return result
    prepared = undefined
  }
}

/** What was prepared for another definition than that which counts by now is of no use. */
const preparedFor = async (context: EngineContext, early: Promise<Prepared> | undefined): Promise<Prepared> => {
  const found = await early
  if (found?.ok === true && found.preparation.model === context.model) return found
  if (found?.ok === true) await found.preparation.forget()
  return prepareStart(context)
}

const startOnce = async (context: EngineContext, options: StartOptions): Promise<StartResult> => {
  const { model } = context
  const { epoch, signal, onSpawn, onProgress } = options
  const prepared = await preparedFor(context, options.prepared)
  if (!prepared.ok) return neverStarted('failed', prepared.failure)
  const { preparation } = prepared
  const leave = async (outcome: 'failed' | 'aborted', why: Failure): Promise<StartResult> => {
    await preparation.forget()
    return neverStarted(outcome, why)
  }
  if (signal.aborted) return leave('aborted', ABORTED)
  let hint = noHint
  let endsWithInput = false
  const onLine = (line: Buffer): void => {
    hint()
    const report = readLoadReport(line)
    if (report === undefined) return
    endsWithInput = true
    if (report.fraction !== undefined) onProgress({ type: 'loading', fraction: report.fraction })
  }
  const keeper = await keeperFor(context, preparation.command)
  const before = await runHooks(context, { when: 'before', env: preparation.command.env, signal })
  if (before !== undefined) return leave('failed', before)
  if (signal.aborted) return leave('aborted', ABORTED)
  const launched = await launchEngine(context, preparation, { epoch, onLine, keeper })
  if (!launched.ok) return neverStarted('failed', launched.failure)

  const { engine } = launched
  const { child, output } = engine
  onSpawn(engine)
  onProgress({ type: 'spawned', pid: child.pid })
  onProgress({ type: 'loading' })
  const { readiness, slots, url } = await watchStart(engine, context, { ...options, onHint: (take) => (hint = take) })
  const isReady = readiness.outcome === 'ready' && child.exit() === undefined && !signal.aborted
  const env = { ...engine.env, LSWAP_PORT: String(engine.port) }
  const after = isReady ? await runHooks(context, { when: 'after', env, signal }) : undefined
  const endedItself = child.exit() !== undefined
  if (readiness.outcome === 'ready' && after === undefined && !endedItself && !signal.aborted) {
    return { outcome: 'ready', engine: { ...engine, endsWithInput }, slots }
  }

  const gone = await endChild({
    child,
    graceMs: 0,
    hurry: signal,
    kindly: kindlyOf(model),
    stuckAfterMs: context.stuckAfterMs,
  })
  if (!gone) {
    const failure = stuckFailure(model, child)
    return { outcome: 'failed', failure, report: exitReport(undefined, failure.message, output), stuck: engine }
  }
  await engine.forget()
  if (signal.aborted)
    return { outcome: 'aborted', failure: ABORTED, report: exitReport(child.exit(), ABORTED.message, output) }
  const late = readiness.outcome === 'timeout' && !endedItself ? readiness.detail : undefined
  const failure =
    after ??
    (late === undefined ? await selfExitFailure(engine) : timeoutFailure(model.healthCheckTimeoutMs, url, late))
  return { outcome: 'failed', failure, report: exitReport(child.exit(), failure.message, output) }
}
