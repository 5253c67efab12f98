import type { Failure, ModelConfig } from '@lswap/core'
import type { Child } from './child.ts'
import { endChild } from './end-child.ts'
import type { Asking, Kindly } from './end-child.ts'
import type { Engine, EngineContext } from './engine.ts'
import type { EngineConnections } from './engine-connections.ts'
import { runStopCommand } from './stop-command.ts'
import type { StopControl } from './stop-control.ts'
import { settledWithin } from './wait.ts'

export const stuckFailure = (model: ModelConfig, child: Child): Failure =>
  model.forceKill === false
    ? {
        code: 'stop_failed',
        message: `${model.id} (pid ${child.pid}) still runs though it was asked to end, must not be killed (forceKill: false), and keeps its memory`,
        hint: 'End it by hand when that is safe, or unload the model to ask it once more; its model can be started again then.',
      }
    : {
        code: 'stop_failed',
        message: `${model.id} (pid ${child.pid}) still runs though it was killed, and keeps its memory`,
        hint: 'It probably hangs in a device driver: look for it with ps (state D) and reset the device or the machine.',
      }

/** How a process is ended that must never be killed; undefined: it may be. */
export const kindlyOf = ({ forceKill, stopSignal, unloadTimeoutMs }: ModelConfig): Kindly | undefined =>
  forceKill === false ? { signal: stopSignal as NodeJS.Signals, graceMs: unloadTimeoutMs } : undefined

/** Lets running requests end, as long as they may, then cuts what is left. */
const drain = async (engine: Engine, connections: EngineConnections, control: StopControl): Promise<void> => {
  connections.cutPassive(control.failure())
  const over = Promise.race([connections.drained(), engine.child.exited])
  await settledWithin(over, control.longestDrainMs, control.cut)
  connections.close(control.failure())
}

interface Means {
  readonly sendSignal: () => void
  readonly runCommand: (command: string) => void
}

/** By the model's own command, by closing the input of an engine that watches it, else by the stop signal. */
const howToAsk = ({ child, endsWithInput }: Engine, { cmdStop }: ModelConfig, means: Means): Asking => {
  const { sendSignal, runCommand } = means
  // The command may have come after a start that had none: such an engine waits for the end of its input
  const again = (): void => (endsWithInput ? child.endInput() : undefined)
  if (cmdStop !== undefined) return { first: () => runCommand(cmdStop), again }
  return { first: endsWithInput ? () => child.endInput() : sendSignal, again: sendSignal }
}

/**
 * The normal end of a ready engine. Connections are closed before it is asked to end: a llama-server with a request
 * in flight ignores SIGTERM. False: it did not end and keeps its memory.
 */
export const stopEngine = async (
  context: EngineContext,
  { engine, connections }: { readonly engine: Engine; readonly connections: EngineConnections },
  control: StopControl,
): Promise<boolean> => {
  const { model, log, output, state } = context
  const { child, port, env } = engine
  await drain(engine, connections, control)
  if (model.saveSlots === true) await engine.keeper?.save(engine.target, control.hurry)

  const sendSignal = (): void => {
    if (child.exit() === undefined || child.family.hasSurvivors())
      child.family.signal(model.stopSignal as NodeJS.Signals)
  }
  let commandDone: Promise<void> = Promise.resolve()
  const runCommand = (command: string): void => {
    const options = {
      model,
      pid: child.pid,
      port,
      env,
      output,
      state,
      log,
      onFailure: sendSignal,
      hurry: control.hurry,
    }
    commandDone = runStopCommand(command, options)
  }
  const ask = howToAsk(engine, model, { sendSignal, runCommand })
  const { stuckAfterMs } = context
  const kindly = kindlyOf(model)
  const gone = await endChild({
    child,
    ask,
    graceMs: model.unloadTimeoutMs,
    hurry: control.hurry,
    kindly,
    stuckAfterMs,
  })
  // A stop command ends after the process that it stops; what it cleans up must be clean before the next start.
  await commandDone
  return gone
}
