import { appendFileSync } from 'node:fs'

/** What the simulated engine writes down, one JSON line each; a test reads the truth here, whatever a router believes. */
export type JournalEvent =
  | { readonly event: 'start'; readonly pid: number; readonly port: number; readonly model: string }
  | { readonly event: 'ready' }
  | { readonly event: 'signal'; readonly signal: string }
  | {
      readonly event: 'request'
      readonly phase: 'begin' | 'end' | 'aborted'
      readonly request: number
      readonly method: string
      readonly path: string
    }
  | { readonly event: 'websocket'; readonly phase: 'open' | 'closed'; readonly socket: number }
  | { readonly event: 'slot'; readonly slot: number; readonly action: string }
  | { readonly event: 'exit'; readonly code: number; readonly reason: string }

/** A line of the journal: the event with its time (Unix milliseconds with fraction), process and model. */
export type JournalLine = JournalEvent & { readonly time: number; readonly pid: number; readonly model: string }

export type Journal = (event: JournalEvent) => void

/**
 * Appends synchronously, so that a line is on disk before what it tells of can be seen, and lines of several
 * engines that share the file never mix.
 */
export function openJournal(file: string | undefined, model: string): Journal {
  if (file === undefined) return () => {}
  return (event) => {
    const line = { time: performance.timeOrigin + performance.now(), pid: process.pid, model, ...event }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  }
}
