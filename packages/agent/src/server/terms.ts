import type { Failure } from '@lswap/core'
import type { ForwardTimers } from '../forward/timers.ts'
import type { TermFile } from '../state/term-file.ts'

/** Who is in charge. */
export interface Terms {
  highest(): number
  /** A router starts: it gets a higher term than every earlier one, once that is kept. */
  claim(): Promise<number>
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
}

/** As long as a router may be silent to an agent, and an agent to a router. */
const SILENCE_MS = 3_000

export const createTerms = ({ file, timers }: TermsOptions): Terms => {
  let highest = file.first
  let heardAt: number | undefined
  const startedAt = timers.now()
  const silentMs = (): number => timers.now() - (heardAt ?? startedAt)
  return {
    highest: () => highest,
    claim: async () => {
      // Raised before it is kept: two that claim at once get two terms
      highest += 1
      const term = highest
      heardAt = timers.now()
      await file.write(term)
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
