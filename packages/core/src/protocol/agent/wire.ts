/** What both ends must have in common; an agent of another version is not used. */
export const AGENT_PROTOCOL = 1

/** Headers between a router and an agent, in lower case. None of them ever reaches an engine or a client. */
export const AGENT_HEADERS = {
  token: 'x-lswap-agent-token',
  /** Which start of the agent answers: after another one nothing is as it was. */
  start: 'x-lswap-agent-start',
  protocol: 'x-lswap-agent-protocol',
  /** In a request: whose it is. In an answer: the highest that the agent has seen. */
  term: 'x-lswap-agent-term',
  /** Why a forwarded request failed before any answer of its engine: a failure as JSON, percent-encoded. */
  failure: 'x-lswap-agent-failure',
  /** Number of the last event that happened before the answer. */
  event: 'x-lswap-agent-event',
  /** What the router calls a request whose body is still to come. */
  upload: 'x-lswap-agent-upload',
} as const

/** Where a request to a process goes; the path of the engine follows. */
export const proxyPath = (model: string, process: { readonly start: string; readonly epoch: number }): string =>
  `/v1/proxy/${encodeURIComponent(model)}@${process.start}.${process.epoch}`

export interface ProxyTarget {
  readonly model: string
  /** Undefined: whichever process is ready. */
  readonly process: { readonly start: string; readonly epoch: number } | undefined
  /** Path and query for the engine. */
  readonly path: string
}

const PROXY = /^\/v1\/proxy\/(?<model>[^/?@]+)(?:@(?<start>[\w-]+)\.(?<epoch>\d{1,15}))?(?<path>[/?].*)?$/

/** Undefined: it is not a path of this kind. */
export const readProxyPath = (target: string): ProxyTarget | undefined => {
  const groups = PROXY.exec(target)?.groups
  if (groups === undefined) return undefined
  const { model = '', start, epoch, path = '/' } = groups
  try {
    return {
      model: decodeURIComponent(model),
      process: start === undefined ? undefined : { start, epoch: Number(epoch) },
      path: path.startsWith('/') ? path : `/${path}`,
    }
  } catch {
    return undefined
  }
}
