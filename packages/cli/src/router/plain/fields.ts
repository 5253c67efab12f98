import { validateHeaderName, validateHeaderValue } from 'node:http'

/** Names that were looked at: engines use few. Copies: a name as it came keeps the whole head that it stood in. */
const known = new Set<string>()
const MOST_NAMES = 512
const MOST_LENGTH = 64
const PLAIN_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** One line of a head. Throws what node:http throws for what no header may hold: it could become a header more. */
export const fieldLine = (name: string, value: string): string => {
  if (!known.has(name)) {
    validateHeaderName(name)
    if (known.size < MOST_NAMES && name.length <= MOST_LENGTH) known.add(copyOf(name))
  }
  if (!PLAIN_VALUE.test(value)) validateHeaderValue(name, value)
  return `${name}: ${value}\r\n`
}

/** Valid names are ASCII. */
const copyOf = (name: string): string => Buffer.from(name, 'latin1').toString('latin1')
