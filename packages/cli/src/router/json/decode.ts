/** Escapes, and the control characters that JSON wants escaped. */
const NEEDS_PARSING = /[\\\p{Cc}]/u

/** The text of a string between its quotes; undefined: not a JSON string. */
export const decode = (text: string): string | undefined => {
  if (!NEEDS_PARSING.test(text)) return text
  try {
    const value: unknown = JSON.parse(`"${text}"`)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
