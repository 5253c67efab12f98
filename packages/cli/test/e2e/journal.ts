import { readFile } from 'node:fs/promises'
import { until } from './until.ts'

/** A line that the simulated engine wrote. */
export interface JournalLine {
  readonly event: 'start' | 'ready' | 'signal' | 'request' | 'websocket' | 'exit'
  readonly time: number
  readonly pid: number
  readonly model: string
  readonly phase?: 'begin' | 'end' | 'aborted' | 'open' | 'closed'
  readonly path?: string
}

/** Of a chat request; an agent asks its engines for their slots and numbers, too, and that is in the journal as well. */
export const isChat =
  (phase: 'begin' | 'end' | 'aborted') =>
  (line: JournalLine): boolean =>
    line.event === 'request' && line.phase === phase && line.path === '/v1/chat/completions'

/** What the engines of a test did, by their own account. */
export interface Journal {
  lines(): Promise<readonly JournalLine[]>
  /** Waits until a line fits. */
  saw(what: string, fits: (line: JournalLine) => boolean): Promise<JournalLine>
  /** The models in the order of their starts. */
  starts(): Promise<readonly string[]>
}

export const journal = (file: string): Journal => {
  const lines = async (): Promise<readonly JournalLine[]> => {
    const text = await readFile(file, 'utf8').catch(() => '')
    // The last piece is empty, or a line in the middle of its writing
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as JournalLine)
  }
  return {
    lines,
    saw: (what, fits) => until(`journal: ${what}`, async () => (await lines()).find(fits)),
    starts: async () => (await lines()).filter(({ event }) => event === 'start').map(({ model }) => model),
  }
}
