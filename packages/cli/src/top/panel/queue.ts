import type { FeedState, WaitingState } from '@lswap/core/protocol'
import type { Estimate } from '../../client/queue.ts'
import { turnText } from '../../print/estimate.ts'
import { duration } from '../../print/units.ts'
import type { Panel } from './panel.ts'

const estimateText = ({ estimate }: WaitingState, now: number): string => {
  if (estimate === null) return '-'
  return estimate.isLimit === true ? `<${duration(estimate.highAt - now)}` : duration(estimate.medianAt - now)
}

const title = ({ queue }: FeedState): string => {
  const bands = queue.bands.filter(({ depth }) => depth > 0).map(({ band, depth }) => `${depth} ${band}`)
  return `Queue ${queue.total}${bands.length > 1 || queue.total > 0 ? `: ${bands.join(', ')}` : ''}`
}

const estimateIn = ({ lowAt, medianAt, highAt, isLimit }: Told, now: number): Estimate => ({
  lowMs: lowAt - now,
  medianMs: medianAt - now,
  highMs: highAt - now,
  ...(isLimit === true ? { isLimit } : {}),
})
type Told = NonNullable<WaitingState['estimate']>

/** Why a request waits, and for how long yet. */
export const waitSentence = (request: WaitingState, now: number): string => {
  const { id, estimate, cause } = request
  const why = cause?.text ?? 'the scheduler has not looked at it yet'
  const turn = estimate === null ? '' : `; ${turnText(estimateIn(estimate, now))}`
  return `request ${id} waits: ${why}${turn}`
}

export const queuePanel: Panel<WaitingState> = {
  name: 'queue',
  title,
  empty: 'nobody waits',
  items: ({ waiting }) => waiting,
  keyOf: ({ id }) => String(id),
  words: ({ id, model, band, caller, cause }) => `${id} ${model} ${band} ${caller} ${cause?.text ?? ''}`,
  hasHeader: true,
  sorts: [
    { name: 'order of dispatch' },
    { name: 'waited', compare: (a, b) => a.receivedAt - b.receivedAt },
    { name: 'model', compare: (a, b) => (a.model < b.model ? -1 : Number(a.model > b.model)) },
  ],
  columns: [
    { title: 'POS', cell: ({ position }) => String(position), priority: 0, width: 4, align: 'right' },
    { title: 'MODEL', cell: ({ model }) => model, priority: 0, width: 12, grows: { share: 1, max: 32 } },
    {
      title: 'BAND',
      cell: ({ band }) => band,
      priority: 5,
      width: 6,
      tone: ({ band }) => (band === 'urgent' ? 'strong' : undefined),
    },
    {
      title: 'WAITED',
      cell: ({ receivedAt }, now) => duration(now - receivedAt),
      priority: 1,
      width: 7,
      align: 'right',
    },
    { title: 'ESTIMATE', cell: estimateText, priority: 3, width: 8, align: 'right' },
    { title: 'REQUEST', cell: ({ id }) => String(id), priority: 6, width: 7, from: 96, align: 'right' },
    {
      title: 'WHY',
      cell: ({ cause }) => cause?.text ?? '-',
      priority: 2,
      // At 40 columns its first word is still there; the sentence has the rest
      width: 9,
      grows: { share: 4, max: 200 },
    },
  ],
  sentence: (request, _state, now) => waitSentence(request, now),
}
