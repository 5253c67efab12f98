/** A line for the log that needs nothing of pino: plain fields, as nearly all have. */
export interface PlainLine {
  readonly level: number
  /** As pino is given it: `,"time":"…"`. */
  readonly time: string
  readonly fields: object
  readonly message: string
}

/**
 * The very line that pino writes where every field is a number, a truth value or a text; undefined: pino is to write it. The router
 * writes one for each request, and this takes 0.6 (Node 24) to 1.0 µs (Node 20) where pino, which looks at each key and value, takes
 * 1.4 to 1.5.
 */
export const plainLine = ({ level, time, fields, message }: PlainLine): string | undefined => {
  if (fields instanceof Error || !Object.values(fields).every(isPlain)) return undefined
  const inner = JSON.stringify(fields).slice(1, -1)
  return `{"level":${level}${time}${inner && `,${inner}`},"msg":${JSON.stringify(message)}}\n`
}

const isPlain = (value: unknown): boolean => {
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' || value === undefined
}
