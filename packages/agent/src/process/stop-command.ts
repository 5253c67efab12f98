import type { ModelConfig } from '@lswap/core'
import { splitCommand } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { ModelLog } from '../logs/model-log.ts'
import { endChild } from './end-child.ts'
import type { EngineContext } from './engine.ts'
import { startCommand } from './run-command.ts'
import { expandPort } from './target.ts'
import { settledWithin } from './wait.ts'

export interface StopCommandOptions extends Pick<EngineContext, 'state'> {
  readonly model: ModelConfig
  readonly pid: number
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  readonly output: ModelLog
  readonly log: Logger
  /** Called when the command could not do its work. */
  readonly onFailure: () => void
  /** Ends the command now. */
  readonly hurry: AbortSignal
}

const expand = (text: string, pid: number, port: number): string =>
  expandPort(text.replaceAll('${PID}', String(pid)), port)

/** Runs `cmdStop`. It has as long as the process has to end; then it is killed as well, so it can not block a stop. */
export const runStopCommand = async (command: string, options: StopCommandOptions): Promise<void> => {
  const { model, pid, port, env, log, onFailure, hurry } = options
  const fail = (reason: string): void => {
    log.warn({ model: model.id, cmdStop: command, reason }, 'cmdStop failed, the stop signal is sent instead')
    onFailure()
  }
  try {
    const [file = '', ...args] = splitCommand(command).map((arg) => expand(arg, pid, port))
    const started = await startCommand(options, { file, args, env })
    if (!started.ok) return fail(started.message)
    const { child, forget } = started
    const inTime = await settledWithin(child.exited, model.unloadTimeoutMs, hurry)
    if (await endChild({ child, graceMs: 0, hurry: AbortSignal.abort() })) await forget()
    if (hurry.aborted) return
    const exit = child.exit()
    if (!inTime) fail(`it did not end within ${model.unloadTimeoutMs} ms`)
    else if (exit?.code !== 0) fail(`it ended with ${exit?.signal ?? `code ${exit?.code}`}`)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
}
