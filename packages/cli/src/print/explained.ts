import type { ExplainedRequest, RequestSpan } from '../client/request.ts'
import { turnText } from './estimate.ts'
import { plainLine } from './plain.ts'
import type { Style } from './style.ts'
import { type Column, table } from './table.ts'
import { duration, fineDuration } from './units.ts'

/** A request, why it waits, and where its time went. */
export const explainedText = (told: ExplainedRequest, style: Style): string => {
  const lines = [`${style.bold(`request ${told.id ?? '?'}`)} for ${plainLine(told.model)}: ${stateText(told)}`]
  lines.push(`priority ${told.priority ?? 0} (${told.band})`)
  const { picked, waiting } = told
  if (picked !== undefined) lines.push(`picked: ${plainLine(picked)}`)
  if (waiting !== undefined) {
    lines.push(`place ${waiting.position ?? '?'} in line: ${plainLine(waiting.why ?? '?')}`)
    if (waiting.estimate !== undefined) lines.push(turnText(waiting.estimate))
    if (waiting.unmeasured.length > 0) lines.push(`never measured yet: ${plainLine(waiting.unmeasured.join(', '))}`)
  }
  return `${lines.join('\n')}\n\n${table(COLUMNS, spansWithTotal(told), style)}`
}

const stateText = ({ state, host, durationMs, error }: ExplainedRequest): string => {
  const where = host === undefined ? '' : ` on ${plainLine(host)}`
  if (error !== undefined) return `${state}${where}, ${error.code}: ${plainLine(error.message)}`
  const time = duration(durationMs ?? 0)
  if (state === 'waiting') return `waiting for ${time}`
  return state === 'running' ? `running${where} for ${time}` : `${state}${where} after ${fineDuration(durationMs ?? 0)}`
}

const spansWithTotal = ({ spans, durationMs }: ExplainedRequest): readonly RequestSpan[] => [
  ...spans,
  { type: '', text: 'altogether', ms: durationMs ?? 0 },
]

const COLUMNS: readonly Column<RequestSpan>[] = [
  { title: 'TIME', cell: ({ ms }) => fineDuration(ms), align: 'right' },
  { title: 'WHERE IT WENT', cell: ({ text }) => text },
]
