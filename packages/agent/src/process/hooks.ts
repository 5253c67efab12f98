import { splitCommand, type Failure, type HookConfig, type ModelConfig } from '@lswap/core'
import { endChild } from './end-child.ts'
import type { EngineContext } from './engine.ts'
import { describeExit } from './exit-report.ts'
import { startCommand } from './run-command.ts'
import { settledWithin } from './wait.ts'

export interface HooksOptions {
  readonly when: 'before' | 'after'
  readonly env: NodeJS.ProcessEnv
  /** The load is given up: the command that runs is ended, and no other is begun. */
  readonly signal: AbortSignal
}

/**
 * Runs the commands of a model before or after its load, one after the other, without a shell. The first that fails and is
 * required ends the load: that is the answer. The others are told in the log.
 */
export const runHooks = async (
  context: Pick<EngineContext, 'model' | 'output' | 'state' | 'log'>,
  { when, env, signal }: HooksOptions,
): Promise<Failure | undefined> => {
  const { model, output, log } = context
  for (const hook of model.hooks?.[when] ?? []) {
    if (signal.aborted) return undefined
    output.mark(`${model.id}: hooks.${when}: ${hook.cmd}`)
    const reason = await runHook(context, hook, { env: { ...env, LSWAP_MODEL: model.id }, signal })
    if (reason === undefined || signal.aborted) continue
    if (hook.required) return hookFailure(model, { when, hook, reason })
    log.warn({ model: model.id, when, command: hook.cmd, reason }, 'a hook failed; the load goes on')
  }
  return undefined
}

const hookFailure = (
  { id }: ModelConfig,
  { when, hook, reason }: { readonly when: string; readonly hook: HookConfig; readonly reason: string },
): Failure => ({
  code: 'start_failed',
  message: `${id}: a command of hooks.${when} that is required failed: ${hook.cmd}: ${reason}`,
  hint: `Its output is in the log of the model: lswap logs ${id}`,
})

/** Why it failed; undefined: it did not. */
const runHook = async (
  context: Pick<EngineContext, 'model' | 'output' | 'state'>,
  { cmd, timeoutMs }: HookConfig,
  { env, signal }: Pick<HooksOptions, 'env' | 'signal'>,
): Promise<string | undefined> => {
  const [file = '', ...args] = splitCommand(cmd)
  const started = await startCommand(context, { file, args, env })
  if (!started.ok) return started.message
  const { child, forget } = started
  const inTime = await settledWithin(child.exited, timeoutMs, signal)
  // What it left running goes with it: it is no part of the engine
  const isGone = await endChild({ child, graceMs: 0, hurry: signal })
  if (isGone) await forget()
  const exit = child.exit()
  if (!inTime) return `it did not end within ${timeoutMs / 1000} s${isGone ? '' : ', and still runs'}`
  return exit === undefined || exit.code === 0 ? undefined : `it ${describeExit(exit)}`
}
