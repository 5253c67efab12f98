import type { IncomingHttpHeaders } from 'node:http'

/**
 * The keys that a request brings, as bytes: `Authorization: Bearer`, the password of `Authorization: Basic`, `x-api-key`.
 * Libraries for one API in front of another send two of them, of which one may be a leftover.
 */
export const presentedKeys = (headers: IncomingHttpHeaders): readonly Buffer[] => {
  const keys: Buffer[] = []
  const [, scheme = '', rest = ''] = /^\s*(bearer|basic)\s+(\S+)\s*$/i.exec(headers.authorization ?? '') ?? []
  const given = scheme.toLowerCase() === 'basic' ? passwordOf(rest) : bytes(rest)
  if (given.length > 0) keys.push(given)
  const plain = headers['x-api-key']
  if (typeof plain === 'string' && plain.trim() !== '') keys.push(bytes(plain.trim()))
  return keys
}

/** Node reads headers as Latin-1; what was sent are bytes, of UTF-8 as a rule. */
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

const COLON = 0x3a

/** Whatever the name of the user, which may be empty. */
const passwordOf = (text: string): Buffer => {
  const pair = Buffer.from(text, 'base64')
  const colon = pair.indexOf(COLON)
  return colon === -1 ? Buffer.alloc(0) : pair.subarray(colon + 1)
}

/** Headers that carry keys to lswap, in lower case: not for engines. */
export const KEY_HEADERS: ReadonlySet<string> = new Set(['authorization', 'x-api-key'])
