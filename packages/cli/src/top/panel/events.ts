import type { EndedState, FeedState, NoticeState, SwapState } from '@lswap/core/protocol'
import { clockText, duration } from '../../print/units.ts'
import type { Tone } from '../cells/row.ts'
import type { Panel } from './panel.ts'

/** Something that happened, as a sentence. */
export interface EventRow {
  readonly key: string
  readonly at: number
  readonly text: string
  readonly tone: Tone | undefined
}

const swapStart = (swap: SwapState): EventRow => {
  const instead = swap.evict.length === 0 ? '' : ` in place of ${swap.evict.join(', ')}`
  return {
    key: `swap ${swap.generation} start`,
    at: swap.startedAt,
    text: `${swap.model}: loading on ${swap.host}${instead}`,
    tone: undefined,
  }
}

const swapEnd = (swap: SwapState & { endedAt: number }): EventRow => {
  const time = duration(swap.endedAt - swap.startedAt)
  const key = `swap ${swap.generation} end`
  const row = (text: string, tone: Tone): EventRow => ({ key, at: swap.endedAt, text: `${swap.model}: ${text}`, tone })
  if (swap.result === 'ready') return row(`ready on ${swap.host} after ${time}`, 'good')
  if (swap.result === 'failed') return row(`load failed: ${swap.failure?.message ?? 'no reason told'}`, 'bad')
  return row(`load ${swap.result ?? 'ended'} after ${time}`, 'busy')
}

const ended = (request: EndedState): EventRow => ({
  key: `request ${request.id}`,
  at: request.endedAt,
  text: `request ${request.id} for ${request.model}: ${request.outcome}, ${request.failure?.message ?? ''}`,
  tone: 'bad',
})

const aboutText = (name: string | null): string => (name === null ? '' : `${name}: `)

const LEVELS: Readonly<Record<string, string>> = { info: '', error: 'error: ' }

const noticed = ({ number, at, level, text, model, host }: NoticeState): EventRow => ({
  key: `notice ${number}`,
  at,
  text: `${LEVELS[level] ?? 'warning: '}${aboutText(model ?? host)}${text}`,
  tone: level === 'info' ? undefined : level === 'error' ? 'bad' : 'busy',
})

/** The latest first. */
export const eventRows = ({ swaps, ended: requests, notices }: FeedState): readonly EventRow[] => {
  const rows = [
    // What came of something before what it came of, where both have the same time
    ...notices.map(noticed),
    ...requests.filter(({ failure }) => failure !== null).map(ended),
    ...swaps.flatMap((swap) => (swap.endedAt === null ? [] : [swapEnd({ ...swap, endedAt: swap.endedAt })])),
    ...swaps.map(swapStart),
  ]
  return rows.toSorted((a, b) => b.at - a.at)
}

export const eventsPanel: Panel<EventRow> = {
  name: 'events',
  title: () => 'Events',
  empty: 'nothing happened yet',
  items: eventRows,
  keyOf: ({ key }) => key,
  words: ({ text }) => text,
  hasHeader: false,
  sorts: [{ name: 'latest first' }, { name: 'oldest first', compare: (a, b) => a.at - b.at }],
  columns: [
    { title: 'TIME', cell: ({ at }) => clockText(at), priority: 1, width: 8, tone: () => 'quiet' },
    {
      title: 'WHAT',
      cell: ({ text }) => text,
      priority: 0,
      width: 20,
      grows: { share: 1, max: 400 },
      tone: ({ tone }) => tone,
    },
  ],
  sentence: ({ at, text }) => `${clockText(at)} ${text}`,
}
