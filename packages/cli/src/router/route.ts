import { requestId, type RequestId } from '@lswap/core'
import { findInference, type InferenceRoute } from './inference-route.ts'

/** What a path and method ask for. Names of models are decoded and not yet looked up. */
export type Route =
  | InferenceRoute
  | { readonly type: 'health' }
  | { readonly type: 'models' }
  | { readonly type: 'running' }
  | { readonly type: 'queue' }
  | { readonly type: 'requests' }
  | { readonly type: 'metrics' }
  | { readonly type: 'version' }
  | { readonly type: 'request' | 'cancel'; readonly id: RequestId }
  | { readonly type: 'load'; readonly model: string }
  | { readonly type: 'pin'; readonly model: string; readonly pinned: boolean }
  /** Without a model: all. */
  | { readonly type: 'unload'; readonly model: string | undefined }

export type RouteMatch =
  | { readonly type: 'route'; readonly route: Route }
  | { readonly type: 'not-found' }
  | { readonly type: 'bad-path' }
  | { readonly type: 'method-not-allowed'; readonly allow: string; readonly hint?: string }

interface Entry {
  readonly method: 'GET' | 'POST'
  readonly route: Route
  readonly hint?: string
}

const get = (type: 'health' | 'models' | 'running' | 'queue' | 'requests' | 'metrics' | 'version'): Entry => ({
  method: 'GET',
  route: { type },
})
const post = (route: Route): Entry => ({ method: 'POST', route })

const ROUTES: ReadonlyMap<string, Entry> = new Map([
  ['/v1/models', get('models')],
  ['/models', get('models')],
  ['/health', get('health')],
  ['/running', get('running')],
  ['/metrics', get('metrics')],
  ['/api/queue', get('queue')],
  ['/api/requests', get('requests')],
  ['/api/version', get('version')],
  ['/api/models/unload', post({ type: 'unload', model: undefined })],
  // Other tools unload by GET; any web page could do that, so it only tells how it is done here
  [
    '/unload',
    {
      method: 'POST',
      route: { type: 'unload', model: undefined },
      hint: 'Unload with POST /api/models/unload, or POST /api/models/unload/{model} for one model.',
    },
  ],
])

/** Ids of models may hold slashes: everything behind one of these is the model. */
const MODEL_ROUTES: readonly (readonly [prefix: string, route: (model: string) => Route])[] = [
  ['/api/models/load/', (model) => ({ type: 'load', model })],
  ['/api/models/unload/', (model) => ({ type: 'unload', model })],
  ['/api/models/pin/', (model) => ({ type: 'pin', model, pinned: true })],
  ['/api/models/unpin/', (model) => ({ type: 'pin', model, pinned: false })],
]

/** Numbers of requests; longer ones were never given. */
const REQUEST = /^\/api\/requests\/(\d{1,15})(\/cancel)?$/

/** Finds the route of a path (without its query). HEAD counts as GET. */
export const findRoute = (method: string, path: string): RouteMatch => {
  const inference = findInference(path)
  if (inference !== undefined) return allow(method, inference)
  const fixed = ROUTES.get(path)
  if (fixed !== undefined) return allow(method, [fixed])
  const [, number, cancel] = REQUEST.exec(path) ?? []
  if (number !== undefined) {
    const id = requestId(Number(number))
    return allow(method, [
      cancel === undefined ? { method: 'GET', route: { type: 'request', id } } : post({ type: 'cancel', id }),
    ])
  }
  for (const [prefix, route] of MODEL_ROUTES) {
    if (!path.startsWith(prefix) || path.length === prefix.length) continue
    const model = decode(path.slice(prefix.length))
    return model === undefined ? { type: 'bad-path' } : allow(method, [post(route(model))])
  }
  return { type: 'not-found' }
}

/** `entries`: what the path stands for, by method; at least one. */
const allow = (method: string, entries: readonly Entry[]): RouteMatch => {
  const asked = method === 'HEAD' ? 'GET' : method
  const match = entries.find((entry) => entry.method === asked)
  if (match !== undefined) return { type: 'route', route: match.route }
  const methods = entries.map((entry) => (entry.method === 'GET' ? 'GET, HEAD' : 'POST')).join(', ')
  const hint = entries.find((entry) => entry.hint !== undefined)?.hint
  return { type: 'method-not-allowed', allow: methods, ...(hint === undefined ? {} : { hint }) }
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
