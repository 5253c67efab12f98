import type { Failure } from '@lswap/core'
import type { ExitReport } from '../agent.ts'
import type { LogPosition } from '../logs/log-ring.ts'
import type { ModelLog } from '../logs/model-log.ts'
import type { Exit } from './child.ts'

/** Lines of output that a failure quotes. */
const QUOTED_LINES = 20
/** Engines go on writing after the line that tells of missing memory. */
const SEARCHED_LINES = 400

/** What engines on CUDA, ROCm, Vulkan, Metal and the CPU say when device memory does not suffice. */
const OUT_OF_MEMORY = new RegExp(
  [
    'out of memory',
    '(?:cuda|hip|musa)Malloc(?:Managed|Async)? failed',
    'ErrorOutOf(?:Device|Host|Pool)Memory',
    'ErrorMemoryAllocation',
    'OutOfMemoryError',
    'failed to allocate (?:\\S+ )*buffer',
    'unable to allocate',
    'ggml_backend_\\w*alloc\\w*.*fail',
    'ggml_gallocr_\\w+.*(?:fail|cannot)',
    'insufficient memory',
    'std::bad_alloc',
    'cannot allocate memory',
  ].join('|'),
  'i',
)

/** The output of one start. */
export interface StartOutput {
  readonly log: ModelLog
  readonly since: LogPosition
}

export const describeExit = (exit: Exit): string =>
  exit.signal === undefined ? `exited with code ${exit.code ?? 'unknown'}` : `was ended by ${exit.signal}`

const lastLines = ({ log, since }: StartOutput): string[] => log.tail(QUOTED_LINES, since)

export const ranOutOfMemory = ({ log, since }: StartOutput): boolean =>
  log.tail(SEARCHED_LINES, since).some((line) => OUT_OF_MEMORY.test(line))

export const exitReport = (exit: Exit | undefined, reason: string, output: StartOutput): ExitReport => ({
  code: exit?.code,
  signal: exit?.signal,
  reason,
  lastLines: lastLines(output),
})

/** The message with the last lines of the output under it. */
export const quoteOutput = (message: string, output: StartOutput): string => {
  const lines = lastLines(output)
  return lines.length === 0 ? `${message}; it wrote nothing` : `${message}; its last lines:\n${lines.join('\n')}`
}

/** An engine that ended by itself before it was ready. */
export const startExitFailure = (exit: Exit, output: StartOutput): Failure => {
  const how = describeExit(exit)
  return ranOutOfMemory(output)
    ? {
        code: 'out_of_memory',
        message: quoteOutput(`the engine ran out of memory and ${how} before it was ready`, output),
        hint: 'Use a smaller context (-c), fewer layers on the device (-ngl) or a smaller quantisation.',
      }
    : {
        code: 'start_failed',
        message: quoteOutput(`the engine ${how} before it was ready`, output),
        hint: 'Run the command of the model by hand to see what is wrong with it.',
      }
}

/** An engine that ended by itself while it served; without an exit it did so behind a wrapper that lives on. */
export const crashFailure = (exit: Exit | undefined, output: StartOutput): Failure => {
  const how = exit === undefined ? 'stopped listening' : describeExit(exit)
  return { code: 'upstream_died', message: quoteOutput(`the engine ${how} while it was ready`, output) }
}
