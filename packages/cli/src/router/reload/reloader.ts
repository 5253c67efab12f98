import { diffConfigs, failureOf, isSameConfig, keepPorts, type Config, type ConfigReading } from '@lswap/core'
import type { Log } from '../log.ts'
import { logReload } from './log-reload.ts'
import type { ReloadCause, ReloadOutcome } from './outcome.ts'

export interface ReloaderOptions {
  /** What runs now. */
  readonly config: Config
  /** Reads the whole configuration again. What it throws is why that is not possible. */
  readonly read: () => Promise<ConfigReading>
  /** Takes a good configuration over, at once. What it throws is why it changed nothing. */
  readonly apply: (config: Config) => void
  readonly log: Log
  readonly onOutcome: (outcome: ReloadOutcome) => void
  /** It is the file of an agent: what has a command in it runs here. */
  readonly isAgent?: true
}

export interface Reloader {
  /** Reads after this call, so that what is in the file now counts. Never rejects. */
  reload(cause: ReloadCause): Promise<ReloadOutcome>
}

/** One reload that has not begun to read. */
interface Waiting {
  readonly causes: Set<ReloadCause>
  readonly outcome: Promise<ReloadOutcome>
}

/**
 * One reload at a time. Those that are asked for while one runs become one that follows it: none is lost, since the file may
 * have changed after it was read, and none is done twice.
 */
export const createReloader = (options: ReloaderOptions): Reloader => {
  const { config: first, read, apply, log, onOutcome, isAgent } = options
  let config = first
  let last: Promise<unknown> = Promise.resolve()
  let waiting: Waiting | undefined

  const attempt = async (): Promise<ReloadOutcome> => {
    try {
      const reading = await read()
      if (!reading.ok) return { ok: false, failure: mistakes(reading.issues), issues: reading.issues }
      const next = keepPorts(config, reading.config)
      const changes = diffConfigs(config, next, isAgent)
      if (!isSameConfig(changes)) apply(next)
      config = next
      return { ok: true, changes, warnings: reading.warnings }
    } catch (error) {
      return { ok: false, failure: failureOf(error), issues: [] }
    }
  }

  const run = async (causes: ReadonlySet<ReloadCause>): Promise<ReloadOutcome> => {
    const outcome = await attempt()
    logReload(log, causes, outcome)
    onOutcome(outcome)
    return outcome
  }

  return {
    reload: (cause) => {
      if (waiting !== undefined) {
        waiting.causes.add(cause)
        return waiting.outcome
      }
      const causes = new Set([cause])
      const outcome = last.then(() => {
        waiting = undefined
        return run(causes)
      })
      waiting = { causes, outcome }
      last = outcome
      return outcome
    },
  }
}

const mistakes = (issues: Extract<ConfigReading, { ok: false }>['issues']) => {
  const errors = issues.filter(({ severity }) => severity === 'error').length
  return {
    code: 'invalid_config' as const,
    message: `The configuration has ${errors === 1 ? '1 error' : `${errors} errors`}; nothing was changed.`,
  }
}
