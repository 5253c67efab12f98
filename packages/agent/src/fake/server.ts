import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { sendError, sendJson, sendText } from './answer.ts'
import { BadBody, readJson, textIn } from './body.ts'
import { chatCompletion, plainCompletion } from './completions.ts'
import { echo } from './echo.ts'
import { embeddings } from './embeddings.ts'
import type { Engine } from './engine.ts'
import { limitConnections } from './connections.ts'
import { health, loading, notFound } from './health.ts'
import { countMessages, createMessage } from './messages.ts'
import { metrics, models, props, slots } from './monitor.ts'
import { createResponse } from './responses.ts'
import { actOnSlot } from './slot-cache.ts'
import type { Completion } from './speaking.ts'
import { echoWebSockets } from './websocket.ts'
import { tokenIds } from './words.ts'

const GET_ROUTES: Readonly<Record<string, (engine: Engine, response: ServerResponse) => void>> = {
  '/v1/models': models,
  '/models': models,
  '/props': props,
  '/slots': slots,
  '/metrics': metrics,
  '/lora-adapters': (_engine, response) => sendJson(response, []),
}

const POST_ROUTES: Readonly<Record<string, (completion: Completion) => Promise<void> | void>> = {
  '/v1/chat/completions': chatCompletion,
  '/chat/completions': chatCompletion,
  '/v1/completions': plainCompletion,
  '/completions': plainCompletion,
  '/completion': plainCompletion,
  '/v1/messages': createMessage,
  '/v1/messages/count_tokens': countMessages,
  '/v1/responses': createResponse,
  '/v1/embeddings': embeddings,
  '/embeddings': embeddings,
  '/tokenize': ({ body, response }) => sendJson(response, { tokens: tokenIds(textIn(body, 'content')) }),
}

export function createFakeServer(engine: Engine): Server {
  let requests = 0
  const server = createServer((request, response) => {
    onResponse(response)
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if (path === '/health' || path === '/v1/health') {
      if (request.method === 'GET' || request.method === 'HEAD') health(engine, response)
      else notFound(response)
      return
    }
    requests += 1
    const signal = watch(engine, { request, response, path, number: requests })
    void route(engine, { request, response, path, signal }).catch((error: unknown) => fail(engine, response, error))
  })
  echoWebSockets(server, engine)
  const onResponse = limitConnections(server, engine.options.idleCloseMs)
  // A slow upload is the business of whoever sends it.
  server.requestTimeout = 0
  return server
}

/** Writes the request's begin and end into the journal; the signal fires when the client leaves before the end. */
function watch(
  engine: Engine,
  on: { readonly request: IncomingMessage; readonly response: ServerResponse; path: string; number: number },
): AbortSignal {
  const gone = new AbortController()
  const method = on.request.method ?? ''
  const note = (phase: 'begin' | 'end' | 'aborted'): void =>
    engine.journal({ event: 'request', phase, request: on.number, method, path: on.path })
  engine.inFlight += 1
  note('begin')
  on.response.once('close', () => {
    engine.inFlight -= 1
    note(on.response.writableFinished ? 'end' : 'aborted')
    gone.abort()
  })
  return gone.signal
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly signal: AbortSignal
}

async function route(engine: Engine, { request, response, path, signal }: Exchange): Promise<void> {
  const { options } = engine
  if (request.method === 'OPTIONS') return sendText(response, { status: 200, type: 'text/html', body: '' })
  if (!hasKey(request, options.key)) {
    return sendError(response, { code: 401, message: 'Invalid API Key', type: 'authentication_error' })
  }
  if (!engine.ready) return loading(response)
  if (options.echo === true) return echo(request, response)
  const get = GET_ROUTES[path]
  if (request.method === 'GET' && get) return get(engine, response)
  const post = POST_ROUTES[path]
  const isSlot = /^\/slots\/\d+$/.test(path)
  if (request.method !== 'POST' || !(post || isSlot)) return notFound(response)
  const body = await readJson(request)
  if (!post) return actOnSlot(engine, { url: request.url ?? '', body }, response)
  if (options.status !== undefined) {
    return sendError(response, { code: options.status, message: 'told to fail', type: 'server_error' })
  }
  return post({ engine, body, response, signal })
}

function hasKey(request: IncomingMessage, key: string | undefined): boolean {
  if (key === undefined) return true
  return request.headers.authorization === `Bearer ${key}` || request.headers['x-api-key'] === key
}

function fail(engine: Engine, response: ServerResponse, error: unknown): void {
  if (error instanceof BadBody) {
    return sendError(response, { code: error.status, message: error.message, type: 'invalid_request_error' })
  }
  if (response.destroyed || response.headersSent) {
    response.destroy()
    return
  }
  engine.log(`srv    operator(): got exception: ${String(error)}`)
  sendError(response, { code: 500, message: String(error), type: 'server_error' })
}
