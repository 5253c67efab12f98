import { existsSync, readFileSync } from 'node:fs'
import type { JournalLine } from '../../../src/fake/journal.ts'

/** What the engines that share this file have written so far. */
export function readJournal(file: string): JournalLine[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as JournalLine)
}
