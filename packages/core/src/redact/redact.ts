/** Takes secrets out of text. */
export type Redact = (text: string) => string

/** Shorter ones would tear holes into ordinary words. */
const MIN_SECRET_CHARS = 6

const GONE = '***'

/** What looks like a key wherever it comes from, behind what stays: in a header, or behind a switch of an engine. */
const PATTERNS: readonly RegExp[] = [
  /(\bBearer\s+)[\w.~+/=-]{6,}/gi,
  // Quotes may stand behind backslashes: the text may be JSON
  /(--(?:api-key|hf-token|token|ssl-key-password)[= ](?:\\?["'])?)[^\s"'\\]+/gi,
  /\b()(?:sk-[A-Za-z0-9_-]{12,}|(?:hf|ghp)_[A-Za-z0-9]{16,})/g,
]

/** `secrets`: those that are known, wherever they stand. Takes some microseconds a line, so not for what is written at each request. */
export const createRedact = (secrets: Iterable<string>): Redact => {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    // As it is, and as it stands in JSON
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    // A secret that begins with another one goes whole
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => secret.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  const exact = known.length === 0 ? undefined : new RegExp(known.join('|'), 'g')
  return (text) => {
    const rest = exact === undefined ? text : text.replace(exact, GONE)
    return PATTERNS.reduce((left, pattern) => left.replace(pattern, `$1${GONE}`), rest)
  }
}
