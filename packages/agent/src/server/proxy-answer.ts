import { ERRORS, type Failure } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { ForwardHead } from '../forward/exchange.ts'

/** Ours: what an engine says under these names must not be taken for the agent's word. */
const OWN: ReadonlySet<string> = new Set(Object.values(AGENT_HEADERS))

/** The engine's head, as it wrote it. */
export const writeHead = (res: ServerResponse, head: ForwardHead): void => {
  const { status, reason, length, bodyless } = head
  const fields: string[] = []
  for (let at = 0; at + 1 < head.headers.length; at += 2) {
    const name = head.headers[at] ?? ''
    const lower = name.toLowerCase()
    // Without a body it tells of one that does not follow, and is the engine's word
    if (OWN.has(lower) || (lower === 'content-length' && bodyless !== true)) continue
    fields.push(name, head.headers[at + 1] ?? '')
  }
  if (length !== undefined && bodyless !== true) fields.push('Content-Length', String(length))
  // The router hears a date from the engine, or none
  res.sendDate = false
  res.writeHead(status, /^[\t\x20-\x7e\x80-\xff]*$/.test(reason) ? reason : '', fields)
  // In one write with the first bytes when they came along
  process.nextTick(() => {
    if (!res.writableEnded && !res.destroyed) res.flushHeaders()
  })
}

/** 1xx answers go on before the final one. */
export const writeInformation = (res: ServerResponse, status: number, headers: readonly string[]): void => {
  if (res.headersSent || status === 100) return
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== 'content-length') text += `${headers[at]}: ${headers[at + 1]}\r\n`
  }
  res.socket?.write(`${text}\r\n`, 'latin1')
}

/** Nothing of an answer had come: the router is told why, and may try elsewhere. `event`: the last one that happened before. */
export const refuse = (res: ServerResponse, failure: Failure, event: number): void => {
  res.writeHead(ERRORS[failure.code].status, {
    'content-type': 'application/json',
    [AGENT_HEADERS.failure]: encodeURIComponent(JSON.stringify(failure)),
    [AGENT_HEADERS.event]: String(event),
  })
  res.end(`${JSON.stringify({ error: failure })}\n`)
}
