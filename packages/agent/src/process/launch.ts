import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Epoch, Failure } from '@lswap/core'
import type { OnLine } from '../logs/model-log.ts'
import { startTimeOf } from '../state/process-identity.ts'
import type { SlotKeeper } from '../slot-files/keeper.ts'
import type { RunRecord } from '../state/run-files.ts'
import { RUN_VARIABLE } from '../state/sweep.ts'
import { spawnChild } from './child.ts'
import type { Child } from './child.ts'
import { bindCommand, boundEnvironment } from './command.ts'
import type { EngineCommand } from './command.ts'
import { argvHash, definitionHash } from './definition-hash.ts'
import type { Engine, EngineContext } from './engine.ts'
import { CHECKED_HOST, isListening } from './listening.ts'
import { describeHolders, portHolders } from './port-holder.ts'
import { choosesPort, isLoopback } from './target.ts'
import type { EngineTarget } from './target.ts'

export type Launched =
  | { readonly ok: true; readonly engine: Engine }
  | { readonly ok: false; readonly failure: Failure }

/** Somebody who listens already would answer our probes in the engine's place. */
export const portConflict = async (target: EngineTarget): Promise<Failure | undefined> => {
  if (!isLoopback(target) || !(await isListening(target.host, target.port))) return undefined
  return {
    code: 'port_in_use',
    message: `port ${target.port} is in use by ${describeHolders(await portHolders(target.port))}`,
    hint: 'Stop that program, or use ${PORT} in cmd so that a free port is chosen at each start.',
  }
}

interface Run {
  readonly id: string
  readonly port: number
  readonly argv: readonly string[]
  readonly isKept: boolean
}

/** No process has this number and this start: only by its environment can it be found. */
const NOT_YET = { pid: 0, startTime: '' }

const recordOf = ({ model, state }: EngineContext, run: Run, who: Pick<RunRecord, 'pid' | 'startTime'>): RunRecord => {
  const { pid, startTime } = who
  return {
    runId: run.id,
    pid,
    startTime,
    bootId: state.bootId,
    argvHash: argvHash(run.argv),
    port: run.port,
    model: model.id,
    onAgentExit: run.isKept ? 'keep' : 'stop',
    definitionHash: definitionHash(model),
    ...(model.forceKill === false ? { kindly: model.stopSignal } : {}),
  }
}

/** Before the spawn: an agent that is killed right after it must not leave a process that no file tells of. */
const announceRun = (context: EngineContext, run: Run): Promise<void> =>
  context.state.runs.write(recordOf(context, run, NOT_YET))

const writeRunFile = async (context: EngineContext, child: Child, run: Run): Promise<void> => {
  const startTime = await startTimeOf(child.pid)
  // It ended already, or nobody can tell who it is: then a file about it could not be used.
  if (startTime === undefined) return
  await context.state.runs.write(recordOf(context, run, { pid: child.pid, startTime }))
}

/** The file that takes the output of a process that is to outlive us; undefined: it is not to, or can not. */
const prepareOutput = async ({ model, state, log }: EngineContext, runId: string): Promise<string | undefined> => {
  const path = model.onAgentExit === 'keep' ? state.runs.outputOf(runId) : undefined
  if (path === undefined) return undefined
  try {
    await writeFile(path, '', { flag: 'a', mode: 0o600 })
    return path
  } catch (error) {
    log.warn({ err: error, model: model.id, path }, 'its output can not go to a file: the process ends with this agent')
    return undefined
  }
}

export interface LaunchOptions {
  readonly epoch: Epoch
  readonly keeper?: SlotKeeper | undefined
  readonly onLine: OnLine
}

/** Spawns the engine on a port that nobody listens on. */
export const launchEngine = async (
  context: EngineContext,
  command: EngineCommand,
  { epoch, onLine, keeper }: LaunchOptions,
): Promise<Launched> => {
  const { model, guard, ports, output, state } = context
  const takesPort = choosesPort(model)
  const port = takesPort ? await ports.take(model.port) : model.port
  const runId = randomUUID()
  const forget = async (): Promise<void> => {
    if (takesPort) ports.release(port)
    await state.runs.remove(runId)
  }
  const refuse = async (failure: Failure): Promise<Launched> => {
    if (takesPort) ports.release(port)
    return { ok: false, failure }
  }

  const { args, target } = bindCommand(model, command, port)
  const isChecked = takesPort && target.host === CHECKED_HOST && target.port === port
  const conflict = isChecked ? undefined : await portConflict(target)
  if (conflict !== undefined) return refuse(conflict)
  const since = output.mark(`${model.id}: start ${epoch} on port ${target.port}, ${new Date().toISOString()}`)
  const env = {
    ...boundEnvironment(model, command, port),
    ...keeper?.environment,
    ...guard.environment(command.file, args),
    [RUN_VARIABLE]: runId,
  }
  const outputFile = await prepareOutput(context, runId)
  const argv = [command.file, ...args]
  const run = { id: runId, port: takesPort ? port : target.port, argv, isKept: outputFile !== undefined }
  await announceRun(context, run)
  const spawned = await spawnChild({
    file: command.file,
    args,
    env,
    outputFile,
    onOutput: (stream) => output.follow(stream, onLine),
  })
  if (!spawned.ok) {
    await state.runs.remove(runId)
    return refuse({ code: 'start_failed', message: `${model.id} could not be spawned: ${spawned.message}` })
  }
  const { child } = spawned
  const recorded = writeRunFile(context, child, run)
  const engine: Engine = {
    child,
    target,
    port: run.port,
    env,
    output: { log: output, since },
    endsWithInput: false,
    isKept: run.isKept,
    keeper,
    recorded,
    forget: () => recorded.then(forget),
  }
  return { ok: true, engine }
}
