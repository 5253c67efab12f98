import { readFileSync } from 'node:fs'

export interface JournalEntry {
  readonly event: string
  readonly pid?: number
  readonly [field: string]: unknown
}

/** What a simulated engine wrote about itself; empty before it did. */
export const readJournal = (path: string): JournalEntry[] => {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as JournalEntry)
  } catch {
    return []
  }
}

export const eventsOf = (path: string): string[] => readJournal(path).map(({ event }) => event)
