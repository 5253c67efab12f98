import type { IncomingHttpHeaders } from 'node:http'
import { lowerOf } from './names.ts'

/** The head of a request about which no two programs can disagree. */
export interface PlainHead {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Name, value, name, value … as they came. */
  readonly rawHeaders: readonly string[]
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders
  /** Bytes of the body. */
  readonly length: number
  /** Bytes of the head, with the empty line. */
  readonly size: number
}

const END = Buffer.from('\r\n\r\n')
const TARGET_END = ' HTTP/1.1'
const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const SLASH = 0x2f
const DELETE = 0x7f

/** A number of more digits need not be exact. */
const LENGTH = /^\d{1,15}$/

/**
 * Reads the head of a plain request: GET or POST of a path in HTTP/1.1, whole, with one Host, a body that is counted or none, no
 * name twice, and nothing that only some would take for HTTP. Undefined: anything else, broken or not, which is node:http's.
 * `most`: bytes of a head.
 */
export const readPlainHead = (bytes: Buffer, most: number): PlainHead | undefined => {
  const end = bytes.indexOf(END)
  if (end === -1 || end > most) return undefined
  const text = bytes.toString('latin1', 0, end)
  const lineEnd = lineEndAt(text, 0)
  const method = text.startsWith('POST /') ? 'POST' : text.startsWith('GET /') ? 'GET' : undefined
  if (lineEnd === -1 || method === undefined) return undefined
  const urlEnd = lineEnd - TARGET_END.length
  const url = text.slice(method.length + 1, urlEnd)
  if (!text.startsWith(TARGET_END, urlEnd) || !isTarget(url)) return undefined
  const rawHeaders: string[] = []
  const headers: Record<string, string> = {}
  for (let at = lineEnd + 2; at < text.length;) {
    const colon = text.indexOf(':', at)
    const stop = lineEndAt(text, at)
    if (stop === -1 || colon === -1 || colon >= stop) return undefined
    const name = text.slice(at, colon)
    const lower = lowerOf(name)
    const value = trimmed(text, colon + 1, stop)
    if (lower === '' || headers[lower] !== undefined) return undefined
    headers[lower] = value
    rawHeaders.push(name, value)
    at = stop + 2
  }
  const length = lengthOf(headers)
  if (headers['host'] === undefined || length === undefined || !goesOn(headers)) return undefined
  return { method, url, rawHeaders, headers, length, size: end + END.length }
}

/** Where a line ends, at CR LF or the end of the text; −1 when it holds a byte that no value of HTTP has. */
const lineEndAt = (text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= SPACE && code !== DELETE) continue
    if (code === TAB) continue
    return code === CR && text.charCodeAt(at + 1) === LF ? at : -1
  }
  return text.length
}

const isTarget = (url: string): boolean => {
  for (let at = 0; at < url.length; at += 1) {
    const code = url.charCodeAt(at)
    if (code <= SPACE || code >= DELETE) return false
  }
  return url.charCodeAt(0) === SLASH
}

/** Without the blanks around it. */
const trimmed = (text: string, from: number, to: number): string => {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB

const lengthOf = (headers: IncomingHttpHeaders): number | undefined => {
  const text = headers['content-length']
  if (text === undefined) return 0
  return LENGTH.test(text) ? Number(text) : undefined
}

/** Whether the connection is to stay, and no header is for this connection only but the usual. */
const goesOn = ({ connection }: IncomingHttpHeaders): boolean =>
  connection === undefined || connection === 'keep-alive' || connection.toLowerCase() === 'keep-alive'
