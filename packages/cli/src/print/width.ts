import stringWidth from 'string-width'
import { plainLine } from './plain.ts'

/** Columns of a terminal that a text takes; a Chinese character or an emoji takes two. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text))

/** Nearly everything that is shown, and a hundred times faster to measure. */
const ASCII = /^[\u0020-\u007E]*$/

const segmenter = new Intl.Segmenter()

/** Characters as a person counts them. */
export const charactersOf = (text: string): readonly string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment)

/** The text in exactly so many columns: cut with an ellipsis, or padded. What could steer a terminal is made visible. */
export const fit = (text: string, width: number, align: 'left' | 'right' = 'left'): string => {
  const shown = cut(plainLine(text), width)
  const space = ' '.repeat(Math.max(0, width - widthOf(shown)))
  return align === 'right' ? space + shown : shown + space
}

/** The text in at most so many columns, never half a character. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  if (width <= 0) return ''
  if (ASCII.test(text)) return `${text.slice(0, width - 1)}…`
  let kept = ''
  let room = width - 1
  for (const character of charactersOf(text)) {
    room -= widthOf(character)
    if (room < 0) break
    kept += character
  }
  return `${kept}…`
}
