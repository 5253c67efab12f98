import { Lexer } from 'yaml'

/** The deepest key that lswap knows lies at 9; `metadata` may go on below. */
export const MAX_CONFIG_DEPTH = 64
/** A file with a thousand models, each with every key, has half of it. */
const MAX_LEXEMES = 600_000

/** What the lexer puts before a plain or quoted text, and other marks of it that are not in the file. */
const SCALAR_MARK = '\u001f'
const MARKS: ReadonlySet<string> = new Set([SCALAR_MARK, '\u0002', '\u0018'])
const OPENING: ReadonlySet<string> = new Set(['[', '{'])
const CLOSING: ReadonlySet<string> = new Set([']', '}'])
const INDICATORS: ReadonlySet<string> = new Set(['-', '?'])

/** The indentations that a line lies in, as their columns; blank lines and comments do not count. */
const indentationCounter = () => {
  const open: number[] = []
  let column = 0
  let atStart = true
  return {
    depth: () => open.length,
    read: (lexeme: string, inBrackets: boolean): void => {
      if (lexeme.endsWith('\n')) {
        column = 0
        atStart = true
      } else if (atStart && lexeme.trim() === '') {
        column += lexeme.length
      } else if (atStart) {
        atStart = false
        if (inBrackets || lexeme.startsWith('#')) return
        while ((open.at(-1) ?? -1) >= column) open.pop()
        open.push(column)
      }
    },
  }
}

/**
 * Finds out in one cheap pass whether a text is too dense for the parser, which keeps everything that it reads and
 * calls itself for every level: four megabytes of `[` cost it gigabytes, and how deep its stack reaches is chance.
 */
export const densityProblem = (text: string): { readonly at: number; readonly message: string } | undefined => {
  const indentation = indentationCounter()
  let at = 0
  let lexemes = 0
  let brackets = 0
  let onLine = 0
  let isScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    const isMark = MARKS.has(lexeme)
    if (!isScalar && !isMark) {
      if (OPENING.has(lexeme)) brackets += 1
      else if (CLOSING.has(lexeme)) brackets = Math.max(0, brackets - 1)
      else if (INDICATORS.has(lexeme)) onLine += 1
      else if (lexeme.endsWith('\n')) onLine = 0
      lexemes += 1
    }
    if (!isMark) indentation.read(isScalar ? 'text' : lexeme, brackets > 0)
    if (brackets + onLine + indentation.depth() > MAX_CONFIG_DEPTH) {
      return { at, message: `nested deeper than ${MAX_CONFIG_DEPTH} levels` }
    }
    if (lexemes > MAX_LEXEMES) return { at, message: 'more keys and values than a configuration may hold' }
    isScalar = lexeme === SCALAR_MARK
    if (!isMark) at += lexeme.length
  }
  return undefined
}
