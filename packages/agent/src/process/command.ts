import { splitCommand } from '@lswap/core'
import type { Failure, ModelConfig } from '@lswap/core'
import { findExecutable } from './find-executable.ts'
import { modelFileProblem } from './model-file.ts'
import { engineTarget, expandPort } from './target.ts'
import type { EngineTarget } from './target.ts'

/** A command that was checked and can be spawned once its port is known. */
export interface EngineCommand {
  readonly file: string
  /** With `${PORT}` in them. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export type CheckedCommand =
  | { readonly ok: true; readonly command: EngineCommand }
  | { readonly ok: false; readonly failure: Failure }

/** The agent's environment with the model's on top. */
const modelEnvironment = (model: ModelConfig): NodeJS.ProcessEnv => ({ ...process.env, ...model.env })

const refuse = (model: ModelConfig, reason: string): CheckedCommand => ({
  ok: false,
  failure: { code: 'start_failed', message: `${model.id} can not be started: ${reason}`, hint: 'Correct its cmd.' },
})

/** Checks what can be known without starting anything, so that a broken model costs no healthy one its place. */
export const checkCommand = async (model: ModelConfig): Promise<CheckedCommand> => {
  const env = modelEnvironment(model)
  try {
    const [program, ...args] = splitCommand(model.cmd)
    if (program === undefined) return refuse(model, 'its command is empty')
    engineTarget(model, args, model.port)
    const [found, problem] = await Promise.all([findExecutable(program, env), modelFileProblem([program, ...args])])
    if (!found.ok) return refuse(model, found.message)
    if (problem !== undefined) return refuse(model, problem)
    return { ok: true, command: { file: found.path, args, env } }
  } catch (error) {
    return refuse(model, error instanceof Error ? error.message : String(error))
  }
}

/** The environment once the port is chosen. */
export const boundEnvironment = (model: ModelConfig, command: EngineCommand, port: number): NodeJS.ProcessEnv => ({
  ...command.env,
  ...Object.fromEntries(Object.entries(model.env).map(([name, value]) => [name, expandPort(value, port)])),
})

/** The arguments and the address once the port is chosen. */
export const bindCommand = (
  model: ModelConfig,
  command: EngineCommand,
  port: number,
): { readonly args: readonly string[]; readonly target: EngineTarget } => ({
  args: command.args.map((arg) => expandPort(arg, port)),
  target: engineTarget(model, command.args, port),
})
