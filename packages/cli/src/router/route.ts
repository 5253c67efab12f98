/** What a path and method ask for. Names of models are decoded and not yet looked up. */
export type Route =
  | { readonly type: 'inference' }
  | { readonly type: 'health' }
  | { readonly type: 'models' }
  | { readonly type: 'running' }
  | { readonly type: 'metrics' }
  | { readonly type: 'version' }
  | { readonly type: 'load'; readonly model: string }
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

const get = (type: 'health' | 'models' | 'running' | 'metrics' | 'version'): Entry => ({
  method: 'GET',
  route: { type },
})
const inference: Entry = { method: 'POST', route: { type: 'inference' } }

const ROUTES: ReadonlyMap<string, Entry> = new Map([
  ['/v1/chat/completions', inference],
  ['/v1/completions', inference],
  ['/v1/embeddings', inference],
  ['/v1/models', get('models')],
  ['/models', get('models')],
  ['/health', get('health')],
  ['/running', get('running')],
  ['/metrics', get('metrics')],
  ['/api/version', get('version')],
  ['/api/models/unload', { method: 'POST', route: { type: 'unload', model: undefined } }],
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

const LOAD = '/api/models/load/'
const UNLOAD = '/api/models/unload/'

/** Finds the route of a path (without its query). HEAD counts as GET. */
export const findRoute = (method: string, path: string): RouteMatch => {
  const fixed = ROUTES.get(path)
  if (fixed !== undefined) return allow(method, fixed)
  const prefix = [LOAD, UNLOAD].find((candidate) => path.startsWith(candidate) && path.length > candidate.length)
  if (prefix === undefined) return { type: 'not-found' }
  const model = decode(path.slice(prefix.length))
  if (model === undefined) return { type: 'bad-path' }
  return allow(method, { method: 'POST', route: { type: prefix === LOAD ? 'load' : 'unload', model } })
}

const allow = (method: string, entry: Entry): RouteMatch => {
  if (method === entry.method || (method === 'HEAD' && entry.method === 'GET'))
    return { type: 'route', route: entry.route }
  const methods = entry.method === 'GET' ? 'GET, HEAD' : 'POST'
  return {
    type: 'method-not-allowed',
    allow: methods,
    ...(entry.hint === undefined ? {} : { hint: entry.hint }),
  }
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
