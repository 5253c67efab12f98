import { sendDocument } from '../answer/send.ts'
import type { Call } from '../call.ts'
import type { RunLoop } from '../loop.ts'
import type { Pulse } from '../pulse.ts'

export interface ReadyOptions {
  readonly loop: Pick<RunLoop, 'view' | 'decisionAgeMs'>
  readonly pulse: Pick<Pulse, 'lateMs'>
  readonly isClosing: () => boolean
}

/** Later than this something is wrong: decisions take milliseconds, and so does everything else here. */
const STUCK_MS = 5_000

interface NotReady {
  readonly reason: 'shutting_down' | 'event_loop_stuck' | 'scheduler_stuck' | 'no_host'
  readonly message: string
}

/** Whether requests are taken and decided, for whoever sends them here or elsewhere. Names no model and no host. */
export const serveReady = (options: ReadyOptions, { res }: Call): void => {
  const problem = whyNotReady(options)
  return sendDocument(res, {
    status: problem === undefined ? 200 : 503,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify({ ready: problem === undefined, ...problem }),
  })
}

const whyNotReady = ({ loop, pulse, isClosing }: ReadyOptions): NotReady | undefined => {
  if (isClosing()) return { reason: 'shutting_down', message: 'lswap is shutting down.' }
  const lateMs = pulse.lateMs()
  if (lateMs > STUCK_MS) {
    return { reason: 'event_loop_stuck', message: `The process stood still for ${seconds(lateMs)} lately.` }
  }
  const ageMs = loop.decisionAgeMs()
  if (ageMs > STUCK_MS) {
    return { reason: 'scheduler_stuck', message: `A decision is due since ${seconds(ageMs)}.` }
  }
  if (loop.view().hosts.some(({ up }) => up)) return undefined
  return { reason: 'no_host', message: 'No host answers.' }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`
