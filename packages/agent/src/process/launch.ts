import type { Epoch, Failure } from '@lswap/core'
import type { OnLine } from '../logs/model-log.ts'
import { startTimeOf } from '../state/process-identity.ts'
import type { SlotKeeper } from '../slot-files/keeper.ts'
import { RUN_VARIABLE } from '../state/sweep.ts'
import { spawnChild } from './child.ts'
import type { Child } from './child.ts'
import { boundEnvironment } from './command.ts'
import type { Engine, EngineContext } from './engine.ts'
import { CHECKED_HOST, isListening } from './listening.ts'
import { describeHolders, portHolders } from './port-holder.ts'
import { recordOf, type Preparation, type Run } from './prepare.ts'
import { isLoopback } from './target.ts'
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

const writeRunFile = async (context: EngineContext, child: Child, run: Run): Promise<void> => {
  const startTime = await startTimeOf(child.pid)
  // It ended already, or nobody can tell who it is: then a file about it could not be used.
  if (startTime === undefined) return
  await context.state.runs.write(recordOf(context, run, { pid: child.pid, startTime }))
}

export interface LaunchOptions {
  readonly epoch: Epoch
  readonly keeper?: SlotKeeper | undefined
  readonly onLine: OnLine
}

/** Spawns what was prepared, on a port that nobody listens on. What can not be spawned is forgotten. */
export const launchEngine = async (
  context: EngineContext,
  preparation: Preparation,
  { epoch, onLine, keeper }: LaunchOptions,
): Promise<Launched> => {
  const { model, guard, output } = context
  const { command, args, target, port, isPortChosen, run } = preparation
  const refuse = async (failure: Failure): Promise<Launched> => {
    await preparation.forget()
    return { ok: false, failure }
  }

  const isChecked = isPortChosen && target.host === CHECKED_HOST && target.port === port
  const conflict = isChecked ? undefined : await portConflict(target)
  if (conflict !== undefined) return refuse(conflict)
  const since = output.mark(`${model.id}: start ${epoch} on port ${target.port}, ${new Date().toISOString()}`)
  const env = {
    ...boundEnvironment(model, command, port),
    ...keeper?.environment,
    ...guard.environment(command.file, args),
    [RUN_VARIABLE]: run.id,
  }
  const spawned = await spawnChild({
    file: command.file,
    args,
    env,
    outputFile: run.outputFile,
    onOutput: (stream) => output.follow(stream, onLine),
  })
  if (!spawned.ok) {
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
    isKept: run.outputFile !== undefined,
    keeper,
    recorded,
    forget: () => recorded.then(() => preparation.forget()),
  }
  return { ok: true, engine }
}
