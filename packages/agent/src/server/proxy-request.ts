import { AGENT_HEADERS } from '@lswap/core/protocol'
import type { IncomingMessage } from 'node:http'
import type { ForwardBody, ForwardRequest } from '../forward/exchange.ts'

const OWN: ReadonlySet<string> = new Set(Object.values(AGENT_HEADERS))

/** The request as the engine should get it: what was said to the agent itself is taken out. */
export const proxiedRequest = (req: IncomingMessage, path: string, upgrade: boolean): ForwardRequest => ({
  method: req.method ?? 'GET',
  path,
  headers: withoutOwn(req.rawHeaders),
  body: bodyOf(req),
  ...(upgrade ? { upgrade } : {}),
})

const withoutOwn = (raw: readonly string[]): readonly string[] => {
  const kept: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? ''
    if (!OWN.has(name.toLowerCase())) kept.push(name, raw[at + 1] ?? '')
  }
  return kept
}

const bodyOf = (req: IncomingMessage): ForwardBody => {
  const { 'content-length': given, 'transfer-encoding': encoding } = req.headers
  if (encoding !== undefined) return { length: undefined, held: [], rest: req }
  const length = given === undefined ? undefined : Number(given)
  // All of nothing is there already
  return length === undefined || length === 0 ? { length, held: [], rest: undefined } : { length, held: [], rest: req }
}
