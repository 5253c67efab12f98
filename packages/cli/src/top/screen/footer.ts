import type { Row } from '../cells/row.ts'
import { segmentRow } from '../cells/segments.ts'
import { cut } from '../../print/width.ts'
import { plainLine } from '../../print/plain.ts'
import { keysFor } from '../state/key.ts'
import type { Question, Ui } from '../state/ui.ts'

/** The keys, or what is being typed or asked. */
export const footerRow = (ui: Ui, columns: number): Row => {
  if (ui.question !== undefined) return one(`${questionKeys(ui.question)}, any other key does not`, columns)
  if (ui.isTyping) return one(`/${ui.filter}_  Enter keeps it, Esc shows all`, columns)
  const shown = ui.overlay === undefined ? keysFor(ui) : BACK
  return segmentRow(
    shown.map(({ key, short, priority }) => ({ text: `${key} ${short}`, priority, tone: 'quiet' })),
    columns,
  )
}

const questionKeys = ({ choices }: Question): string => choices.map(({ key, does }) => `${key} ${does}`).join(', ')

const BACK = [
  { key: 'Esc', short: 'back', priority: 0 },
  { key: '↑↓', short: 'scroll', priority: 1 },
  { key: 'q', short: 'quit', priority: 0 },
]

const one = (text: string, columns: number): Row => ({
  spans: [{ text: cut(plainLine(text), columns), tone: 'strong' }],
})
