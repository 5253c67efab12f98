/** Longer ones are texts of many lines: their first one is enough to show where. */
const MAX_TOKEN = 1_000

const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:''|[^'\n])*'/y
const PLAIN = /(?:[^\s:,[\]{}#]|:(?![\s,[\]{}]|$)|#|[^\S\n]+(?![\s#:]|$))+/my

/** Behind the key or value that begins at a place of a YAML text: what an editor underlines. At least one character. */
export const tokenEnd = (text: string, at: number): number => {
  const rest = text.slice(at, at + MAX_TOKEN)
  for (const token of [QUOTED, PLAIN]) {
    token.lastIndex = 0
    const [found] = token.exec(rest) ?? []
    if (found !== undefined) return at + found.length
  }
  return Math.min(at + 1, text.length)
}
