import { cut, widthOf } from '../../print/width.ts'

/** What a piece of text is, so that whoever paints can choose a colour for it. The text says the same without one. */
export type Tone = 'good' | 'busy' | 'bad' | 'quiet' | 'strong' | 'title'

export interface Span {
  readonly text: string
  readonly tone?: Tone
}

/** A line of the screen, no wider than it. */
export interface Row {
  readonly spans: readonly Span[]
  /** It is what keys act on; a mark in it says so, too. */
  readonly isChosen?: boolean
  /** What it says may be out of date. */
  readonly isOld?: boolean
}

/** The row in at most so many columns of the terminal. */
export const clipRow = (row: Row, columns: number): Row => {
  let room = columns
  const spans = row.spans.flatMap((span) => {
    const text = cut(span.text, room)
    room -= widthOf(text)
    return text === '' ? [] : [text === span.text ? span : Object.assign({}, span, { text })]
  })
  return { ...row, spans }
}

export const textOfRow = ({ spans }: Row): string => spans.map(({ text }) => text).join('')
