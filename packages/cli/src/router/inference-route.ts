/** A request that goes on to a model's engine. */
export interface InferenceRoute {
  /** `upstream`: something else that the engine has to show. */
  readonly type: 'inference' | 'upstream'
  /** Where the model is named. */
  readonly modelIn: 'json' | 'multipart' | 'query' | PathModel
  /** Whether the engine computes for it; otherwise the model is only kept there. */
  readonly takesSlot: boolean
  /** Its answer may be a stream of events, which this tells of; absent: never. */
  readonly streams?: 'chat' | 'messages' | 'plain'
  /** It only looks: it keeps no model loaded, and ends when that stops. */
  readonly passive?: boolean
  /** How many characters of the path are for lswap and not for the engine. */
  readonly cut: number
}

/** A model that the path names. */
export interface PathModel {
  readonly name: string
  /** The path as the engine knows it, unescaped. */
  readonly rest: string
  /** Where inference names its model on this path, besides: in JSON, which filters are about, in a form, or in the query. */
  readonly namedIn: 'json' | 'form' | 'query' | undefined
}

/** A method that a path takes, and what it stands for. */
export interface InferenceEntry {
  readonly method: 'GET' | 'POST'
  readonly route: InferenceRoute
  /** What a key must be good for. */
  readonly scope: 'infer' | 'read'
}

const json: InferenceRoute = { type: 'inference', modelIn: 'json', takesSlot: true, cut: 0 }
const plain: InferenceRoute = { ...json, streams: 'plain' }
/** Texts are counted and laid out beside the slots, so none is waited for. */
const slotless: InferenceRoute = { ...json, takesSlot: false }
const multipart: InferenceRoute = { ...json, modelIn: 'multipart' }
const query: InferenceRoute = { type: 'inference', modelIn: 'query', takesSlot: false, passive: true, cut: 0 }

const JSON_ROUTES: readonly (readonly [path: string, route: InferenceRoute])[] = [
  ['/v1/chat/completions', { ...json, streams: 'chat' }],
  ['/v1/completions', plain],
  ['/v1/responses', plain],
  ['/v1/messages', { ...json, streams: 'messages' }],
  ['/v1/messages/count_tokens', slotless],
  ['/v1/embeddings', json],
  ['/v1/rerank', json],
  ['/v1/reranking', json],
  ['/rerank', json],
  ['/reranking', json],
  ['/infill', plain],
  ['/completion', plain],
  ['/v1/audio/speech', json],
  ['/v1/audio/voices', json],
  ['/v1/images/generations', json],
  ['/sdapi/v1/txt2img', json],
  ['/sdapi/v1/img2img', json],
  ['/tokenize', slotless],
  ['/detokenize', slotless],
  ['/apply-template', slotless],
]

/** Uploads: the model is a field of the form. */
const MULTIPART_ROUTES = [
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/images/edits',
  '/v1/images/variations',
]

/** They look and never load. */
const QUERY_ROUTES: readonly (readonly [path: string, scope: InferenceEntry['scope']])[] = [
  ['/v1/audio/voices', 'infer'],
  ['/sdapi/v1/loras', 'infer'],
  // They show what others ask and how the engine was started
  ['/props', 'read'],
  ['/slots', 'read'],
]

/** Engines without `/v1` in their paths are reached with `/v` in its place, or before the whole path. */
const UNVERSIONED = '/v'

const build = (): ReadonlyMap<string, readonly InferenceEntry[]> => {
  const table = new Map<string, readonly InferenceEntry[]>()
  const add = (path: string, entry: InferenceEntry): void => {
    table.set(path, [...(table.get(path) ?? []), entry])
  }
  for (const [path, scope] of QUERY_ROUTES) add(path, { method: 'GET', route: query, scope })
  for (const path of MULTIPART_ROUTES) add(path, { method: 'POST', route: multipart, scope: 'infer' })
  for (const [path, route] of JSON_ROUTES) {
    const entry: InferenceEntry = { method: 'POST', route, scope: 'infer' }
    add(path, entry)
    const unversioned = { ...entry, route: { ...route, cut: UNVERSIONED.length } }
    // `/v/rerank` stands for both `/v1/rerank` and `/rerank`
    for (const of of [path, path.replace(/^\/v1\//, '/')]) table.set(UNVERSIONED + of, [unversioned])
  }
  return table
}

const TABLE = build()

/** What a path stands for, by method; undefined when it is not for an engine. */
export const findInference = (path: string): readonly InferenceEntry[] | undefined => TABLE.get(path)

export const INFERENCE_PATHS: readonly string[] = [...TABLE.keys()]
