import type { ModelConfig } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { Exit } from './child.ts'

// llama-server started with this variable ends within milliseconds when its stdin closes, so it can not outlive an
// agent that was killed. Not documented by it, so it is only the first line of defence; run files are the second.
const GUARD_VARIABLE = 'LLAMA_SERVER_ROUTER_PORT'
/** What llama-server exits with when its stdin closes; it looks for that only once it is ready. */
const GUARD_EXIT_CODE = 1
const SUSPICIOUS_MS = 2_000

/** Decides per model whether its children are guarded. */
export interface ExitGuard {
  environment(): NodeJS.ProcessEnv
  /** A wrapper that gives the engine another stdin would end it at once: seen once, the guard is left away. */
  onCrash(exit: Exit, readyForMs: number): void
}

export const createExitGuard = (model: ModelConfig, log: Logger): ExitGuard => {
  let wanted = model.onAgentExit === 'stop' && model.env[GUARD_VARIABLE] === undefined
  return {
    environment: () => (wanted ? { [GUARD_VARIABLE]: '1' } : {}),
    onCrash(exit, readyForMs) {
      if (!wanted || exit.code !== GUARD_EXIT_CODE || readyForMs > SUSPICIOUS_MS) return
      wanted = false
      log.warn(
        { model: model.id },
        'the engine ended as soon as it was ready, perhaps because its command hides our stdin from it; it is not guarded from now on',
      )
    },
  }
}
