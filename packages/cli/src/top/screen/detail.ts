import type { Row, Tone } from '../cells/row.ts'
import { wrapIn } from '../cells/wrap.ts'
import { plainLine } from '../../print/plain.ts'
import { clockText, duration } from '../../print/units.ts'
import { listOf } from '../state/list.ts'
import { routerNow, type Ui } from '../state/ui.ts'

export interface DetailSize {
  readonly columns: number
  readonly height: number
  readonly ownNow: number
}

/** The sentence that matters most now: that nothing is heard, what came of a key, or about the chosen row. */
export const detailRows = (ui: Ui, { columns, height, ownNow }: DetailSize): readonly Row[] => {
  const { text, tone } = sentence(ui, ownNow)
  const lines = wrapIn(plainLine(text), { width: columns, height })
  return Array.from({ length: height }, (_, at) => {
    const line = lines[at] ?? ''
    return { spans: [tone === undefined ? { text: line } : { text: line, tone }] }
  })
}

const sentence = (ui: Ui, ownNow: number): { readonly text: string; readonly tone?: Tone | undefined } => {
  if (ui.question !== undefined) return { text: ui.question.text, tone: 'strong' }
  if (ui.message !== undefined) return ui.message
  if (ui.link.type === 'lost') return { text: lostSentence(ui, ui.link, ownNow), tone: 'bad' }
  // What covers the panels says more
  if (ui.overlay !== undefined) return { text: '' }
  const { panel, items, chosenAt } = listOf(ui, ui.focus)
  if (ui.seen === undefined || chosenAt === -1) return { text: '' }
  return { text: panel.sentence(items[chosenAt], ui.seen.state, routerNow(ui, ownNow)) }
}

const lostSentence = ({ seen }: Ui, link: Ui['link'] & { type: 'lost' }, ownNow: number): string => {
  const again = link.retryAt === undefined ? 'waiting for it' : `next try in ${duration(link.retryAt - ownNow)}`
  const from = seen === undefined ? '' : ` What is shown is of ${clockText(seen.at)}.`
  return `${link.why} (${again}).${from}`
}
