import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { headersFor } from './target.ts'
import type { EngineTarget } from './target.ts'

export interface EngineQuestion {
  readonly path: string
  /** Absent: a GET. */
  readonly body?: unknown
  /** Also bounds the wait: an engine may never answer. */
  readonly signal: AbortSignal
}

export interface EngineReply {
  readonly status: number
  readonly text: string
}

/** Asks an engine something of our own, as JSON, over a fresh connection: such questions are rare. Rejects when there is no answer. */
export const askEngine = async (target: EngineTarget, { path, body, signal }: EngineQuestion): Promise<EngineReply> => {
  const { host, port, basePath } = target
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { ...headersFor(target), ...(body !== undefined && { 'Content-Type': 'application/json' }) }
  const asked = request({ host, port, path: basePath + path, method, headers, agent: false, signal })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, text: await text(answer) }
}
