import { LswapError } from '../errors/failure.ts'

/** A command line in words, or what is wrong with it. */
export type CommandLine =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** Offsets of begin and end. */
type Stretch = readonly [number, number]

/** What a pass over a command line finds. `comments` are the `#` lines, `quoted` what stands in quotes, with them. */
interface Scan {
  readonly words: readonly string[]
  readonly comments: readonly Stretch[]
  readonly quoted: readonly Stretch[]
  readonly problem: string | undefined
}

/**
 * Splits a command line as a POSIX shell would, without its expansions: no variables, globs, pipes or redirections.
 *
 * - Blanks and line ends part words; quotes hold them together, and `''` is an empty word.
 * - A line whose first character is `#` is a comment. Elsewhere, and inside of quotes, `#` is a character like any other.
 * - A backslash at the end of a line (blanks may follow it) goes on in the next line, as a new word.
 * - Inside of `'…'` nothing is special; inside of `"…"` a backslash escapes `"`, `\`, `$`, `` ` `` and the line end.
 * - Outside of quotes a backslash escapes blanks, quotes and itself and is otherwise kept, so that `C:\models\a.gguf`
 *   works as it stands. What begins with two backslashes (`\\server\share`) or has blanks belongs into `'…'`.
 *
 * Throws `invalid_config` when a quote is not closed or no word is left.
 */
export const splitCommand = (command: string): readonly string[] => {
  const line = readCommandLine(command)
  if (!line.ok) throw new LswapError({ code: 'invalid_config', message: line.message })
  return line.words
}

/** {@link splitCommand} for those who want the mistake as a value. */
export const readCommandLine = (command: string): CommandLine => {
  const { words, problem } = scan(command)
  if (problem !== undefined) return { ok: false, message: problem }
  if (words.length === 0) return { ok: false, message: 'the command is empty' }
  if (command.includes('\0')) return { ok: false, message: 'a command can not hold a NUL character' }
  return { ok: true, words }
}

/** The comment lines of a command line, which nothing should be expanded in. */
export const commentsOf = (command: string): readonly Stretch[] => scan(command).comments

/**
 * Puts a value in the place of a reference, as a part of the word that it stands in: blanks and quotes of the value part no
 * words and open no quotes, whether the reference stands in quotes or not.
 */
export const insertValue = (command: string, reference: string, value: string): string => {
  const { quoted, comments } = scan(command)
  let out = ''
  let from = 0
  for (let at = command.indexOf(reference); at !== -1; at = command.indexOf(reference, from)) {
    const around = stretchAt(quoted, at)
    const written = stretchAt(comments, at) ? reference : guard(value, around && command.charAt(around[0]))
    out += command.slice(from, at) + written
    from = at + reference.length
  }
  return out + command.slice(from)
}

const stretchAt = (stretches: readonly Stretch[], at: number): Stretch | undefined =>
  stretches.find(([begin, end]) => begin < at && at < end)

/** A value as it must be written to be read as itself: outside of quotes, or in those that are open. */
const guard = (value: string, quote: string | undefined): string => {
  if (quote === '"') return value.replaceAll(/["\\$`]/g, String.raw`\$&`)
  const inside = value.replaceAll("'", String.raw`'\''`)
  return quote === "'" || /^[\w.:/@%+=,-]+$/.test(value) ? inside : `'${inside}'`
}

const LINE_END = /\\[ \t\r]*(?:\n|$)/y
const BLANK = /\s/
const ESCAPABLE = /[\s'"\\]/
const ESCAPABLE_QUOTED = /["\\$`\n]/

const scan = (command: string): Scan => {
  const words: string[] = []
  const comments: Stretch[] = []
  const quoted: Stretch[] = []
  let word: string | undefined
  let lineIsEmpty = true
  let at = 0
  const endWord = (): void => {
    if (word !== undefined) words.push(word)
    word = undefined
  }

  while (at < command.length) {
    const character = command.charAt(at)
    LINE_END.lastIndex = at
    if (LINE_END.test(command)) {
      endWord()
      at = LINE_END.lastIndex
      lineIsEmpty = true
    } else if (BLANK.test(character)) {
      endWord()
      at += 1
      lineIsEmpty ||= character === '\n'
    } else if (character === '#' && lineIsEmpty) {
      const end = endOfLine(command, at)
      comments.push([at, end])
      at = end
    } else {
      lineIsEmpty = false
      const piece = readPiece(command, at)
      if (piece === undefined) return { words, comments, quoted, problem: unclosed(command, at) }
      if (character === '"' || character === "'") quoted.push([at, piece.end])
      word = (word ?? '') + piece.text
      at = piece.end
    }
  }
  endWord()
  return { words, comments, quoted, problem: undefined }
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

const unclosed = (command: string, at: number): string => {
  const line = command.slice(0, at).split('\n').length
  return `the quote ${command.charAt(at)} in line ${line} of the command is not closed`
}

/** A quoted stretch, an escape or one character; undefined: the quote at this place is never closed. */
const readPiece = (command: string, at: number): { text: string; end: number } | undefined => {
  const character = command.charAt(at)
  if (character === "'") {
    const end = command.indexOf("'", at + 1)
    return end === -1 ? undefined : { text: command.slice(at + 1, end), end: end + 1 }
  }
  if (character === '"') return readDoubleQuoted(command, at + 1)
  const next = command.charAt(at + 1)
  if (character === '\\' && next !== '' && ESCAPABLE.test(next)) return { text: next, end: at + 2 }
  return { text: character, end: at + 1 }
}

const readDoubleQuoted = (command: string, from: number): { text: string; end: number } | undefined => {
  let text = ''
  for (let at = from; at < command.length; at += 1) {
    const character = command.charAt(at)
    if (character === '"') return { text, end: at + 1 }
    const next = command.charAt(at + 1)
    if (character === '\\' && next !== '' && ESCAPABLE_QUOTED.test(next)) {
      text += next === '\n' ? '' : next
      at += 1
    } else {
      text += character
    }
  }
  return undefined
}
