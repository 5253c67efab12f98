import { LineCounter } from 'yaml'

/** One file of a configuration. */
export interface ConfigFile {
  /** As a person would name it, in messages. */
  readonly file: string
  readonly text: string
  /** Why the text is not what the file holds, found while it was read; then nothing else is said about it. */
  readonly problem?: { readonly at: number; readonly message: string }
}

/** A place in a file; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The files of a configuration as one text, so that one number is a place in whichever of them. */
export interface Sources {
  readonly text: string
  /** Each file with the offset of its first character. */
  readonly parts: readonly { readonly file: ConfigFile; readonly base: number }[]
  placeOf(at: number): Place
}

export const sourcesOf = (files: readonly ConfigFile[]): Sources => {
  let base = 0
  const parts = files.map((file) => {
    const part = { file, base, lines: countLines(file.text) }
    base += file.text.length + 1
    return part
  })
  return {
    text: files.map(({ text }) => text).join('\n'),
    parts,
    placeOf: (at) => {
      const part = parts.findLast((one) => one.base <= at)
      if (part === undefined) return { file: '', line: 1, column: 1 }
      const { line, col } = part.lines.linePos(Math.min(at - part.base, part.file.text.length))
      return { file: part.file.file, line, column: col }
    },
  }
}

/** All lines of a text. The parser counts them as well, but leaves some out where a file is broken. */
const countLines = (text: string): LineCounter => {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return lines
}
