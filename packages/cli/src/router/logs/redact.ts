/** Takes secrets out of text. */
export type Redact = (text: string) => string

/** Shorter ones would tear holes into ordinary words. */
const MIN_SECRET_CHARS = 6

/** What looks like a key wherever it comes from: in a header, or behind a switch of an engine. */
const PATTERNS: readonly RegExp[] = [
  /(?<=\bBearer\s+)[\w.~+/=-]{6,}/gi,
  /(?<=--(?:api-key|hf-token|token|ssl-key-password)[= ]["']?)[^\s"']+/gi,
  /\b(?:sk|hf|ghp)[-_][A-Za-z0-9_-]{12,}/g,
]

/** `secrets`: those that are known, wherever they stand. */
export const createRedact = (secrets: readonly string[]): Redact => {
  const known = [...new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS))]
    // A secret that begins with another one goes whole
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => secret.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  const patterns = known.length === 0 ? PATTERNS : [new RegExp(known.join('|'), 'g'), ...PATTERNS]
  return (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, '***'), text)
}
