import { LswapError, modelId, type ModelId } from '@lswap/core'

/** What a path of the RPC means. */
export type AgentRoute =
  | { readonly type: 'about' | 'metrics' | 'events' }
  | { readonly type: 'swap' | 'abort' | 'stop' | 'claim' | 'leave' }
  | { readonly type: 'logs'; readonly model: ModelId }
  | { readonly type: 'proxy' }

const PLAIN: Readonly<Record<string, { readonly method: 'GET' | 'POST'; readonly route: AgentRoute }>> = {
  '/v1/agent': { method: 'GET', route: { type: 'about' } },
  '/v1/metrics': { method: 'GET', route: { type: 'metrics' } },
  '/v1/events': { method: 'GET', route: { type: 'events' } },
  '/v1/swap': { method: 'POST', route: { type: 'swap' } },
  '/v1/abort': { method: 'POST', route: { type: 'abort' } },
  '/v1/stop': { method: 'POST', route: { type: 'stop' } },
  '/v1/leave': { method: 'POST', route: { type: 'leave' } },
  '/v1/claim': { method: 'POST', route: { type: 'claim' } },
}

const LOGS = '/v1/logs/'

/** Throws `not_found` and `method_not_allowed`. */
export const findAgentRoute = (method: string, path: string): AgentRoute => {
  if (path.startsWith('/v1/proxy/')) return { type: 'proxy' }
  const isReading = method === 'GET' || method === 'HEAD'
  if (path.startsWith(LOGS)) {
    if (!isReading) throw wrongMethod('GET')
    return { type: 'logs', model: modelId(decoded(path.slice(LOGS.length))) }
  }
  const found = Object.hasOwn(PLAIN, path) ? PLAIN[path] : undefined
  if (found === undefined)
    throw new LswapError({ code: 'not_found', message: `An agent has no ${path.slice(0, 200)}.` })
  if (found.method === 'GET' ? !isReading : method !== 'POST') throw wrongMethod(found.method)
  return found.route
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new LswapError({ code: 'invalid_request', message: 'The path is not percent-encoded as it should be.' })
  }
}

const wrongMethod = (method: string): LswapError =>
  new LswapError({ code: 'method_not_allowed', message: `Use ${method} here.` })
