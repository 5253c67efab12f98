import { plain } from '../../print/plain.ts'
import { charactersOf, cut, widthOf } from '../../print/width.ts'

/** The text in lines of at most so many columns, broken between words where that can be. */
export const wrap = (text: string, width: number): readonly string[] =>
  plain(text.replaceAll('\t', '    '))
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(1, width)))

const wrapLine = (line: string, width: number): readonly string[] => {
  const lines: string[] = []
  let rest = line
  while (widthOf(rest) > width) {
    const head = headOf(rest, width)
    const space = head.lastIndexOf(' ')
    // A line that begins with its only space would be broken for nothing
    const end =
      rest[head.length] === ' ' ? head.length : space > 0 && head.slice(0, space).trim() !== '' ? space : head.length
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

/** As many whole characters as fit, and at least one. */
const headOf = (text: string, width: number): string => {
  let head = ''
  let room = width
  for (const character of charactersOf(text)) {
    room -= widthOf(character)
    if (room < 0) return head === '' ? character : head
    head += character
  }
  return head
}

/** The first lines of it, the last of them cut. */
export const wrapIn = (
  text: string,
  { width, height }: { readonly width: number; readonly height: number },
): readonly string[] => {
  const lines = wrap(text, width)
  if (lines.length <= height) return lines
  return [...lines.slice(0, height - 1), cut(`${lines[height - 1] ?? ''}…`, width)]
}
