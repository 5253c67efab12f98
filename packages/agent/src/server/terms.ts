import type { Failure } from '@lswap/core'
import type { ForwardTimers } from '../forward/timers.ts'
import type { Logger } from '../logs/logger.ts'
import type { TermFile } from '../state/term-file.ts'

/** Who is in charge. */
export interface Terms {
  highest(): number
  /** A router starts: it gets a higher term than every earlier one, once that is kept. Whoever says who it is gets one only once. */
  claim(claimant?: string): Promise<number>
  /** Something came from the router of this term; a failure when a later one has taken over. */
  heard(term: number): Failure | undefined
  /** Whether a router is there. */
  isLive(): boolean
  /** How long none was, in milliseconds. */
  silentMs(): number
}

export interface TermsOptions {
  readonly file: TermFile
  readonly timers: Pick<ForwardTimers, 'now'>
  readonly log: Pick<Logger, 'warn'>
}

/** As long as a router may be silent to an agent, and an agent to a router. */
const SILENCE_MS = 3_000
/** Claims that are recognised when they come again. */
const KEPT = 256

export const createTerms = ({ file, timers, log }: TermsOptions): Terms => {
  const claims = new Map<string, Promise<number>>()
  let highest = file.first
  let heardAt: number | undefined
  const startedAt = timers.now()
  const silentMs = (): number => timers.now() - (heardAt ?? startedAt)

  const raise = async (): Promise<number> => {
    // Raised before it is kept: two that claim at once get two terms
    highest += 1
    const term = highest
    heardAt = timers.now()
    await file.write(term).catch((error: unknown) => {
      log.warn(
        { err: error, term },
        'the term can not be kept: after a restart of this agent an earlier router might come first',
      )
    })
    return term
  }

  return {
    highest: () => highest,
    claim: (claimant) => {
      // A network may bring it twice, and late: that must not fence whoever is in charge by then
      const known = claimant === undefined ? undefined : claims.get(claimant)
      if (known !== undefined) return known
      const term = raise()
      if (claimant !== undefined) claims.set(claimant, term)
      const [oldest] = claims.keys()
      if (claims.size > KEPT && oldest !== undefined) claims.delete(oldest)
      return term
    },
    heard: (term) => {
      if (term < highest) return fenced(term, highest)
      if (term > highest) {
        highest = term
        file.write(term).catch(() => {})
      }
      heardAt = timers.now()
      return undefined
    },
    isLive: () => heardAt !== undefined && silentMs() < SILENCE_MS,
    silentMs,
  }
}

const fenced = (term: number, highest: number): Failure => ({
  code: 'fenced',
  message: `another router has taken this host over: it has term ${highest}, this one has ${term}`,
  hint: 'Stop one of the two routers; the one that was started last is in charge.',
})
