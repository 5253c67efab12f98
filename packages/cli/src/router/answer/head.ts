import type { ForwardHead } from '@lswap/agent'
import { withoutCors } from '../access/cors.ts'
import type { ClientResponse } from '../messages.ts'

/** What is to be known of an engine's head, and what of it goes on to the client. */
export interface HeadReading {
  readonly isEventStream: boolean
  readonly isEncoded: boolean
  /** Whether an event of ours can follow: neither compressed nor counted. */
  readonly canAppend: boolean
  /** Raw, with ours. */
  readonly headers: string[]
}

/** `own`: headers of ours, raw. An engine that names the request itself has done so: two would be read as one, "a, a". */
export const readHead = ({ status, headers, length, bodyless }: ForwardHead, own: readonly string[]): HeadReading => {
  const kept: string[] = []
  let isEventStream = false
  let isEncoded = false
  let isFromLswap = false
  let isNamed = false
  let isHeld = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const value = headers[at + 1] ?? ''
    const lower = name.toLowerCase()
    switch (lower) {
      case 'content-type':
        isEventStream = /^\s*text\/event-stream\b/i.test(value)
        break
      case 'content-encoding':
        isEncoded = value.trim().toLowerCase() !== 'identity'
        break
      case 'x-request-id':
        isNamed = true
        break
      case 'x-accel-buffering':
        isHeld = true
        break
      case 'content-length':
        // Without a body it tells of one that does not follow, and is the engine's word; with 204 there is none to tell of (RFC 9110 §8.6)
        if (bodyless !== true || status === 204) continue
        break
      default:
        // Another lswap behind this one: what it tells of its queue would contradict what we tell of ours
        if (!lower.startsWith('x-lswap-')) break
        isFromLswap = true
        continue
    }
    kept.push(name, value)
  }
  if (isFromLswap) drop(kept, 'server-timing')
  if (length !== undefined && bodyless !== true) kept.push('Content-Length', String(length))
  for (let at = 0; at + 1 < own.length; at += 2) {
    const name = own[at] ?? ''
    if (!isNamed || name !== 'X-Request-Id') kept.push(name, own[at + 1] ?? '')
  }
  // Told at once by proxies in front that would hold events back; an engine's own word on it stays
  if (isEventStream && !isHeld) kept.push('X-Accel-Buffering', 'no')
  return { isEventStream, isEncoded, canAppend: !isEncoded && length === undefined, headers: kept }
}

const drop = (headers: string[], name: string): void => {
  for (let at = headers.length - 2; at >= 0; at -= 2) if (headers[at]?.toLowerCase() === name) headers.splice(at, 2)
}

export const writeHead = (res: ClientResponse, head: ForwardHead, headers: string[]): void => {
  const { status } = head
  if (!res.hasHeader('access-control-allow-origin')) {
    res.writeHead(status, reasonOf(head), headers)
    return
  }
  // A list given to `writeHead` would replace what was set before, and of what is there twice keep one
  for (const [name, value] of pairs(withoutCors(headers))) res.appendHeader(name, value)
  res.writeHead(status, reasonOf(head))
}

/** A phrase that HTTP does not allow is left out: it means nothing. */
const reasonOf = ({ reason }: ForwardHead): string =>
  reason === 'OK' || /^[\t\x20-\x7e\x80-\xff]*$/.test(reason) ? reason : ''

export const pairs = (raw: readonly string[]): [string, string][] => {
  const result: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) result.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return result
}
