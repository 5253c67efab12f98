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

/**
 * Finds out in one cheap pass whether a text is too dense for the parser, which keeps everything that it reads and
 * calls itself for every level: four megabytes of `[` cost it gigabytes.
 */
export const densityProblem = (text: string): { readonly at: number; readonly message: string } | undefined => {
  let at = 0
  let lexemes = 0
  let brackets = 0
  let onLine = 0
  let isScalar = false
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar) {
      if (OPENING.has(lexeme)) brackets += 1
      else if (CLOSING.has(lexeme)) brackets = Math.max(0, brackets - 1)
      else if (INDICATORS.has(lexeme)) onLine += 1
      else if (lexeme.endsWith('\n')) onLine = 0
      lexemes += 1
    }
    if (brackets + onLine > MAX_CONFIG_DEPTH) return { at, message: `nested deeper than ${MAX_CONFIG_DEPTH} levels` }
    if (lexemes > MAX_LEXEMES) return { at, message: 'more keys and values than a configuration may hold' }
    isScalar = lexeme === SCALAR_MARK
    if (!MARKS.has(lexeme)) at += lexeme.length
  }
  return undefined
}
