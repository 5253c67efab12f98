import { validateHeaderName, validateHeaderValue } from 'node:http'

/** One line of a head. Throws what node:http throws for what no header may hold: it could become a header more. */
export const fieldLine = (name: string, value: string): string => {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  return `${name}: ${value}\r\n`
}
