import { requestId, type RequestId, type Scope } from '@lswap/core'
import { findInference, INFERENCE_PATHS, type InferenceRoute } from './inference-route.ts'

/** What a path and method ask for. Names of models are decoded and not yet looked up. */
export type Route =
  | InferenceRoute
  | { readonly type: 'health' | 'ready' }
  | { readonly type: 'models' }
  | { readonly type: 'upstreams' }
  /** Relative to the path. */
  | { readonly type: 'redirect'; readonly location: string }
  | { readonly type: 'running' }
  | { readonly type: 'queue' }
  | { readonly type: 'hosts' }
  | { readonly type: 'requests' }
  | { readonly type: 'metrics' }
  | { readonly type: 'events' }
  /** Without a source: all. */
  | { readonly type: 'logs'; readonly source: string | undefined; readonly follow: boolean }
  | { readonly type: 'version' }
  | { readonly type: 'reload' }
  | { readonly type: 'profiles' }
  | { readonly type: 'activate-profile' }
  | { readonly type: 'request' | 'cancel'; readonly id: RequestId }
  | { readonly type: 'model' | 'load'; readonly model: string }
  | { readonly type: 'pin'; readonly model: string; readonly pinned: boolean }
  /** Without a model: all. */
  | { readonly type: 'unload'; readonly model: string | undefined }

export type RouteMatch =
  | { readonly type: 'route'; readonly route: Route; readonly scope: NeededScope }
  | { readonly type: 'not-found' }
  /** Nothing in the path names a model. */
  | { readonly type: 'no-model'; readonly name: string }
  | { readonly type: 'bad-path' }
  | { readonly type: 'method-not-allowed'; readonly allow: string; readonly hint?: string }

/** What a key must be good for to reach a route; `any`: every key will do, `none`: it is reached without one. */
export type NeededScope = Scope | 'any' | 'none'

interface Entry {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly route: Route
  /** Without a default: whoever adds a route decides who reaches it. */
  readonly scope: NeededScope
  readonly hint?: string
}

type Plain =
  | 'health'
  | 'ready'
  | 'models'
  | 'profiles'
  | 'upstreams'
  | 'running'
  | 'queue'
  | 'hosts'
  | 'requests'
  | 'metrics'
  | 'version'
  | 'events'
const get = (type: Plain, scope: NeededScope): Entry => ({ method: 'GET', route: { type }, scope })
const post = (route: Route, scope: NeededScope): Entry => ({ method: 'POST', route, scope })

const logs = (asked: { readonly source: string | undefined; readonly follow: boolean }): Entry => ({
  method: 'GET',
  route: { type: 'logs', ...asked },
  scope: 'read',
})

const ROUTES: ReadonlyMap<string, Entry> = new Map([
  ['/v1/models', get('models', 'any')],
  ['/models', get('models', 'any')],
  // What a person sees who opens the address in a browser
  ['/', get('upstreams', 'admin')],
  ['/upstream', get('upstreams', 'admin')],
  ['/upstream/', get('upstreams', 'admin')],
  ['/health', get('health', 'none')],
  // Who decides where to send requests has no key
  ['/ready', get('ready', 'none')],
  ['/running', get('running', 'read')],
  ['/metrics', get('metrics', 'read')],
  ['/api/queue', get('queue', 'read')],
  ['/api/hosts', get('hosts', 'read')],
  ['/api/requests', get('requests', 'read')],
  ['/logs', logs({ source: undefined, follow: false })],
  ['/logs/stream', logs({ source: undefined, follow: true })],
  ['/api/events', get('events', 'read')],
  ['/api/version', get('version', 'any')],
  ['/api/reload', post({ type: 'reload' }, 'admin')],
  ['/api/profiles', get('profiles', 'read')],
  ['/api/profiles/active', { method: 'PUT', route: { type: 'activate-profile' }, scope: 'admin' }],
  ['/api/models/unload', post({ type: 'unload', model: undefined }, 'admin')],
  // Other tools unload by GET; any web page could do that, so it only tells how it is done here
  [
    '/unload',
    {
      method: 'POST',
      route: { type: 'unload', model: undefined },
      scope: 'admin',
      hint: 'Unload with POST /api/models/unload, or POST /api/models/unload/{model} for one model.',
    },
  ],
])

/** Ids of models may hold slashes: everything behind one of these is the model. */
const MODEL_ROUTES: readonly (readonly [prefix: string, entry: (model: string) => Entry])[] = [
  ['/v1/models/', (model) => ({ method: 'GET', route: { type: 'model', model }, scope: 'any' })],
  ['/logs/stream/', (source) => logs({ source, follow: true })],
  ['/api/models/load/', (model) => post({ type: 'load', model }, 'admin')],
  ['/api/models/unload/', (model) => post({ type: 'unload', model }, 'admin')],
  ['/api/models/pin/', (model) => post({ type: 'pin', model, pinned: true }, 'admin')],
  ['/api/models/unpin/', (model) => post({ type: 'pin', model, pinned: false }, 'admin')],
]

/** Numbers of requests; longer ones were never given. */
const REQUEST = /^\/api\/requests\/(\d{1,15})(\/cancel)?$/

/** A path of every route, models and numbers filled in. */
export const ROUTE_PATHS: readonly string[] = [
  ...INFERENCE_PATHS,
  ...ROUTES.keys(),
  ...MODEL_ROUTES.map(([prefix]) => `${prefix}a`),
  '/api/requests/1',
  '/api/requests/1/cancel',
]

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
      cancel === undefined
        ? { method: 'GET', route: { type: 'request', id }, scope: 'read' }
        : post({ type: 'cancel', id }, 'admin'),
    ])
  }
  for (const [prefix, entry] of MODEL_ROUTES) {
    if (!path.startsWith(prefix) || path.length === prefix.length) continue
    const model = decode(path.slice(prefix.length))
    return model === undefined ? { type: 'bad-path' } : allow(method, [entry(model)])
  }
  return { type: 'not-found' }
}

/** `entries`: what the path stands for, by method; at least one. */
const allow = (method: string, entries: readonly Entry[]): RouteMatch => {
  const asked = method === 'HEAD' ? 'GET' : method
  const match = entries.find((entry) => entry.method === asked)
  if (match !== undefined) return { type: 'route', route: match.route, scope: match.scope }
  const methods = entries.map((entry) => (entry.method === 'GET' ? 'GET, HEAD' : entry.method)).join(', ')
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
