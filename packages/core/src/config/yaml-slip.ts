/** What the parser says is wrong with the text at a place. */
interface SyntaxError {
  readonly code: string
  readonly at: number
}

/** What people write who get such an error, in the order in which it is looked for; the parser's words name the consequence. */
const SLIPS: readonly {
  readonly codes: readonly string[]
  /** Of the line from the place on, and the line before. */
  readonly isSlip: (rest: string, before: string) => boolean
  readonly told: (rest: string) => string
}[] = [
  {
    codes: ['MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR'],
    isSlip: (rest) => missingBlank(rest) !== undefined,
    told: (rest) => missingBlank(rest) ?? '',
  },
  {
    codes: ['MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR'],
    isSlip: (_, before) => /:\s+[|>][-+\d]*\s*$/.test(before),
    told: () => 'the lines of a text behind `|` or `>` are indented deeper than its key',
  },
  {
    codes: ['MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR'],
    isSlip: (rest) => /^[\w./-]+\s*$/.test(rest),
    told: (rest) => `a colon is missing behind \`${rest.trim()}\``,
  },
  {
    codes: ['BLOCK_AS_IMPLICIT_KEY'],
    isSlip: (rest) => /:\s/.test(rest),
    told: () => 'a text with a colon and a blank in it needs quotes',
  },
  {
    codes: ['BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY'],
    isSlip: () => true,
    told: () => 'the line below is indented too far, or a colon is missing',
  },
  { codes: ['BAD_SCALAR_START'], isSlip: () => true, told: () => 'it needs quotes' },
  { codes: ['BAD_DQ_ESCAPE'], isSlip: () => true, told: () => 'in single quotes a backslash is only itself' },
]

/** What was probably meant, for the end of a sentence; undefined: nothing that is known. */
export const slipAt = (text: string, { code, at }: SyntaxError): string | undefined => {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const rest = text.slice(at).split(/\r?\n/, 1)[0] ?? ''
  const before = lineStart === 0 ? '' : text.slice(text.lastIndexOf('\n', lineStart - 2) + 1, lineStart - 1)
  return SLIPS.find(({ codes, isSlip }) => codes.includes(code) && isSlip(rest, before))?.told(rest)
}

/** `cmd:llama-server` is a text in YAML, which nobody sees who wrote it. Not `http://x`. */
export const missingBlank = (text: string): string | undefined => {
  const key = /^[A-Za-z_]\w*:(?=[^\s/])/.exec(text)?.[0]
  return key === undefined ? undefined : `a blank is missing behind \`${key}\``
}
