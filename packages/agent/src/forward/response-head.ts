import { BrokenResponse } from './broken-response.ts'
import { fieldKind, readConnection, withoutNamed } from './field-kinds.ts'
import type { ConnectionField } from './field-kinds.ts'
import { fieldValue, parseFields } from './fields.ts'

/** How the end of a body is found: exactly one of these. */
export type Framing = 'none' | 'length' | 'chunked' | 'close'

export interface ResponseHead {
  readonly status: number
  readonly reason: string
  /** Without hop-by-hop fields; `Content-Length` stays as the engine sent it. */
  readonly headers: readonly string[]
  readonly framing: Framing
  /** Bytes of the body where `framing` is `length`, else 0. */
  readonly length: number
  /** Whether the connection can carry another request once the body is read. */
  readonly keepAlive: boolean
}

/** What the fields say about framing, collected in one pass. */
interface Facts {
  readonly headers: string[]
  readonly options: ConnectionField
  length: string | undefined
  chunked: boolean
}

/** Parses a whole head, each line with its CRLF. Throws `BrokenResponse`. */
export const parseResponseHead = (text: string, method: string): ResponseHead => {
  const statusEnd = text.indexOf('\r\n')
  const status = statusCode(text, statusEnd)
  const reason = fieldValue(text, Math.min(13, statusEnd), statusEnd)
  const fields = parseFields(text, statusEnd + 2)
  if (status === 101) return switching(reason, fields)
  const facts = readFacts(fields)
  const { headers, options } = facts
  const http11 = text.charCodeAt(7) === 49
  if (facts.chunked && facts.length !== undefined) {
    throw new BrokenResponse('both Content-Length and Transfer-Encoding')
  }
  if (facts.chunked && !http11) throw new BrokenResponse('Transfer-Encoding in HTTP/1.0')
  const length = facts.length === undefined ? 0 : lengthOf(facts.length)
  const framing = framingOf(status, method, facts)
  return {
    status,
    reason,
    headers: options.named === undefined ? headers : withoutNamed(headers, options.named),
    framing,
    length: framing === 'length' ? length : 0,
    keepAlive: http11 && !options.close && canFollow(status, framing, facts),
  }
}

/** What speaks of the connection is for the client too, once it is theirs; a body there is none (RFC 9110 §15.2.2). */
const switching = (reason: string, fields: readonly string[]): ResponseHead => {
  const headers: string[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const kind = fieldKind(fields[i] as string)
    if (kind !== 'content-length' && kind !== 'transfer-encoding')
      headers.push(fields[i] as string, fields[i + 1] as string)
  }
  return { status: 101, reason, headers, framing: 'none', length: 0, keepAlive: false }
}

// "HTTP/1.1 200 OK"; the blank before an empty reason is often missing.
const statusCode = (text: string, end: number): number => {
  const version = text.startsWith('HTTP/1.1 ') || text.startsWith('HTTP/1.0 ')
  let status = 0
  for (let i = 9; i < 12; i += 1) {
    const digit = text.charCodeAt(i) - 48
    status = digit >= 0 && digit <= 9 ? status * 10 + digit : Number.NaN
  }
  if (!version || !(status >= 100) || (end !== 12 && text.charCodeAt(12) !== 32)) {
    throw new BrokenResponse('no HTTP/1.1 status line')
  }
  return status
}

const readFacts = (fields: readonly string[]): Facts => {
  const headers: string[] = []
  const options: ConnectionField = { close: false, keepAlive: false, named: undefined }
  const facts: Facts = { headers, options, length: undefined, chunked: false }
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string
    const value = fields[i + 1] as string
    switch (fieldKind(name)) {
      case 'hop':
      case 'upgrade':
      // Node throws when `Trailer` is written with a body that is not chunked; trailers pass without it.
      case 'trailer':
        break
      case 'connection':
        readConnection(value, options)
        break
      case 'content-length':
        if (facts.length !== undefined && facts.length !== value) {
          throw new BrokenResponse('two different Content-Length')
        }
        if (facts.length === undefined) headers.push(name, value)
        facts.length = value
        break
      case 'transfer-encoding':
        if (facts.chunked || value.toLowerCase() !== 'chunked') {
          throw new BrokenResponse(`Transfer-Encoding ${JSON.stringify(value.slice(0, 40))}, expected chunked once`)
        }
        facts.chunked = true
        break
      default:
        headers.push(name, value)
    }
  }
  return facts
}

/** A number of more digits need not be exact. */
const MOST_DIGITS = 15

const lengthOf = (value: string): number => {
  let length = 0
  for (let i = 0; i < value.length; i += 1) {
    const digit = value.charCodeAt(i) - 48
    length = digit >= 0 && digit <= 9 ? length * 10 + digit : Number.NaN
  }
  if (value === '' || value.length > MOST_DIGITS || Number.isNaN(length)) {
    throw new BrokenResponse(`Content-Length ${JSON.stringify(value.slice(0, 40))}`)
  }
  return length
}

const framingOf = (status: number, method: string, facts: Facts): Framing => {
  if (method === 'HEAD' || status === 204 || status === 304 || status < 200) return 'none'
  if (facts.chunked) return 'chunked'
  return facts.length === undefined ? 'close' : 'length'
}

// llama-server closes 0.4 ms after a chunked answer without saying so: such a connection is never used again. A 204 that
// announces a body after all may send one, which would then be taken for the next answer.
const canFollow = (status: number, framing: Framing, facts: Facts): boolean => {
  if (framing === 'length') return true
  if (framing !== 'none' || facts.chunked) return false
  return status !== 204 || facts.length === undefined || facts.length === '0'
}
