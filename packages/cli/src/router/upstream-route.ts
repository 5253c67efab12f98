import type { Catalog } from './catalog.ts'
import { findInference, type InferenceRoute } from './inference-route.ts'
import type { RouteMatch } from './route.ts'

/** What follows names a model, and then a path of its engine. */
export const UPSTREAM = '/upstream/'

/**
 * What a path below `/upstream/` stands for, by any method: the longest run of its segments that names a model, as ids may hold
 * slashes, and the rest as it came. Inference is what it is elsewhere; all else that an engine answers may change it or
 * show what others ask, and is for who administers it.
 */
export const findUpstream = (method: string, path: string, catalog: Catalog): RouteMatch => {
  const segments = path.slice(UPSTREAM.length).split('/', catalog.mostSegments)
  for (let count = segments.length; count > 0; count -= 1) {
    const raw = segments.slice(0, count).join('/')
    const name = unescaped(raw)
    if (catalog.isName(name)) return found(method, path, { raw, name })
  }
  return { type: 'no-model', name: unescaped(segments[0] ?? '') }
}

const found = (method: string, path: string, { raw, name }: Record<'raw' | 'name', string>): RouteMatch => {
  const cut = UPSTREAM.length + raw.length
  const rest = path.slice(cut)
  if (rest === '') {
    // Pages name what they are made of relative to their own path, which must end in a slash for that
    const location = `./${raw.slice(raw.lastIndexOf('/') + 1)}/`
    return { type: 'route', route: { type: 'redirect', location }, scope: 'admin' }
  }
  // Compared as it came: what an engine makes of escapes and dots is not known here
  const entry = findInference(rest)?.find(
    (one) => one.method === method && one.scope === 'infer' && one.route.cut === 0,
  )
  const modelIn = { name, rest: unescaped(rest), namedIn: namedIn(entry?.route) }
  // Pages and sockets may stay open for days; what is sent to an engine is work that it has to end
  const isLooking = method === 'GET' || method === 'HEAD'
  const route: InferenceRoute =
    entry === undefined
      ? { type: 'upstream', modelIn, takesSlot: false, passive: isLooking, cut }
      : { ...entry.route, modelIn, cut }
  return { type: 'route', route, scope: entry?.scope ?? 'admin' }
}

const namedIn = (route: InferenceRoute | undefined): 'json' | 'form' | 'query' | undefined => {
  if (route === undefined || typeof route.modelIn === 'object') return undefined
  return route.modelIn === 'multipart' ? 'form' : route.modelIn
}

/** As it came where it is not valid percent-encoding: the engine may take it all the same. */
const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
