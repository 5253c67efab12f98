import { basename } from 'node:path'
import type { ModelConfig } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { Exit } from './child.ts'

// llama-server started with this variable ends within milliseconds when its stdin closes, so it can not outlive an
// agent that was killed. Not documented by it, so it is only the first line of defence; run files are the second.
const GUARD_VARIABLE = 'LLAMA_SERVER_ROUTER_PORT'
/** The engine looks at its stdin as soon as it is ready. */
const SUSPICIOUS_MS = 2_000
/** Exit codes from here on tell of a signal. */
const SIGNAL_CODES = 128

const INTERPRETERS = /^(?:node|bun|deno|python[\d.]*)(?:\.exe)?$/

/**
 * Whether the command starts an engine that knows the guard, by its name. Nothing else gets it: behind a shell or a
 * container an engine may have another stdin, and the guard would end it as soon as it is loaded.
 */
export const understandsGuard = (file: string, args: readonly string[]): boolean => {
  const program = basename(file)
  return /llama/i.test(INTERPRETERS.test(program) ? basename(args[0] ?? '') : program)
}

/** Decides per model whether its children are guarded. */
export interface ExitGuard {
  environment(file: string, args: readonly string[]): NodeJS.ProcessEnv
  /**
   * A script with an engine's name may still give it another stdin (a shell's `&` does): once that may have happened,
   * the guard is left away. `exit` is undefined when the script lives on without its engine.
   */
  onCrash(exit: Exit | undefined, readyForMs: number): void
}

const mayComeFromGuard = (exit: Exit | undefined, readyForMs: number): boolean =>
  exit === undefined || (readyForMs <= SUSPICIOUS_MS && exit.code !== undefined && exit.code < SIGNAL_CODES)

export const createExitGuard = (model: ModelConfig, log: Logger): ExitGuard => {
  // A guarded llama-server hangs when it is only signalled, and that is what a stop command would do.
  const suits = model.onAgentExit === 'stop' && model.cmdStop === undefined
  let wanted = suits && model.env[GUARD_VARIABLE] === undefined
  return {
    environment: (file, args) => (wanted && understandsGuard(file, args) ? { [GUARD_VARIABLE]: '1' } : {}),
    onCrash(exit, readyForMs) {
      if (!wanted || !mayComeFromGuard(exit, readyForMs)) return
      wanted = false
      log.warn(
        { model: model.id },
        'the engine ended by itself, perhaps because its command hides our stdin from it; it is not guarded from now on',
      )
    },
  }
}
