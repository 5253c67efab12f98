import type { Failure } from '@lswap/core'
import type { IncomingHttpHeaders } from 'node:http'

/** How a log is asked for. */
export interface AskedLog {
  /** How many of the lines that are there already. */
  readonly tail: number
  /** One JSON object a line, `{source, line}`, instead of text. */
  readonly isJson: boolean
}

/** As much as somebody reads who gave no number; the rings may hold a mebibyte each. */
const DEFAULT_TAIL = 1_000

/** `?tail=N`, `?no-history`, `Accept: application/x-ndjson`. */
export const readAskedLog = (query: string, headers: IncomingHttpHeaders): AskedLog | Failure => {
  const asked = new URLSearchParams(query)
  const tail = asked.get('tail')
  if (tail !== null && !/^\d{1,9}$/.test(tail)) {
    return { code: 'invalid_request', message: 'tail is not a number of lines, 0 or more.' }
  }
  const isJson = headers.accept?.includes('application/x-ndjson') ?? false
  return { tail: asked.has('no-history') ? 0 : Number(tail ?? DEFAULT_TAIL), isJson }
}

export interface LineShape {
  readonly isJson: boolean
  /** Lines of several sources: each says whose it is. */
  readonly isNamed: boolean
}

/** Whole lines as they are sent. */
export const sentLines = (source: string, lines: readonly string[], { isJson, isNamed }: LineShape): string => {
  const prefix = isNamed ? `${source} | ` : ''
  return lines.map((line) => (isJson ? `${JSON.stringify({ source, line })}\n` : `${prefix}${line}\n`)).join('')
}
