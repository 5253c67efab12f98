/** `ok`: as it should be. `warning`: it will do, with a drawback. `problem`: something will not work. */
export type Verdict = 'ok' | 'warning' | 'problem'

/** One thing that was looked at. */
export interface Finding {
  /** What was looked at: one word, for programs. */
  readonly check: string
  readonly verdict: Verdict
  /** What is so. */
  readonly what: string
  /** Why it matters. */
  readonly why?: string
  /** What to do about it. */
  readonly advice?: string
}

export const good = (check: string, what: string): Finding => ({ check, verdict: 'ok', what })

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

interface Complaint {
  readonly what: string
  readonly why: string
  readonly advice: string
}

export const warning = (check: string, complaint: Complaint): Finding => ({ check, verdict: 'warning', ...complaint })

export const problem = (check: string, complaint: Complaint): Finding => ({ check, verdict: 'problem', ...complaint })
