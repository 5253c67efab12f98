import type { Agent, LogFollowing } from '@lswap/agent'
import type { Failure, HostId } from '@lswap/core'
import { modelForbidden } from '../access/rights.ts'
import type { OpenStreams, Stream } from '../answer/streams.ts'
import type { Call } from '../call.ts'
import { modelNotFound, namesOf, type Catalog } from '../catalog.ts'
import { readAskedLog, sentLines, type AskedLog, type LineShape } from '../logs/asked.ts'
import type { OwnLog } from '../logs/own-log.ts'
import { modelSources, ROUTER_LOG, routerSource, type LogSource } from '../logs/source.ts'

export interface LogsOptions {
  /** As the caller's key sees it. */
  readonly catalog: Catalog
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly ownLog: OwnLog
  readonly streams: OpenStreams
  readonly fail: (call: Call, failure: Failure) => void
}

export interface AskedFor {
  /** Of the router or a model; undefined: all that the key may see. */
  readonly source: string | undefined
  readonly follow: boolean
}

/** Logs as text, or as NDJSON for who accepts it: what is kept, or also what comes. */
export const serveLogs = async (options: LogsOptions, call: Call, { source, follow }: AskedFor): Promise<void> => {
  const { fail, streams } = options
  const name = source ?? new URLSearchParams(call.query).get('model') ?? undefined
  const asked = readAskedLog(call.query, call.req.headers)
  if ('code' in asked) return fail(call, asked)
  const sources = await sourcesOf(options, call, name)
  if ('code' in sources) return fail(call, sources)
  const contentType = asked.isJson ? 'application/x-ndjson; charset=utf-8' : 'text/plain; charset=utf-8'
  const shape: LineShape = { isJson: asked.isJson, isNamed: sources.length > 1 }
  let followings: readonly LogFollowing[] = []
  const onLeave = (): void => followings.forEach((following) => following.stop())
  const stream = streams.open(call, { contentType, onLeave })
  if (stream === undefined) return undefined
  if (!follow) return sendHistory(stream, sources, { ...options, asked, shape })
  followings = followAll(stream, sources, { ...options, asked, shape })
  return undefined
}

const sourcesOf = async (
  { catalog, agents, ownLog }: LogsOptions,
  { rights }: Call,
  name: string | undefined,
): Promise<readonly LogSource[] | Failure> => {
  if (name === ROUTER_LOG) return rights.isRestricted ? ROUTER_FORBIDDEN : [await routerSource(ownLog)]
  if (name === undefined) {
    const models = catalog.models.flatMap((model) => modelSources(model, agents))
    return rights.isRestricted ? models : [await routerSource(ownLog), ...models]
  }
  const model = catalog.find(name)
  if (model === undefined) return modelNotFound(name, namesOf(catalog.models))
  return rights.mayUse(model.id) ? modelSources(model, agents) : modelForbidden(rights, name)
}

const ROUTER_FORBIDDEN: Failure = {
  code: 'forbidden',
  message: 'This key reaches some models only, and the log of the router speaks of all.',
  hint: 'Ask for the log of a model: GET /logs/stream/{model}.',
}

interface Sending {
  readonly asked: AskedLog
  readonly shape: LineShape
}

/** One source after the other, so that no more than one is held at a time. */
const sendHistory = async (stream: Stream, sources: readonly LogSource[], { asked, shape }: Sending): Promise<void> => {
  for (const source of sources) {
    const lines = await source.history(asked.tail)
    if (lines.length > 0) stream.send(sentLines(source.name, lines, shape))
    await stream.idle()
  }
  stream.end()
}

/** While a piece waits for its reader, every source waits, and loses lines rather than hold them. */
const followAll = (
  stream: Stream,
  sources: readonly LogSource[],
  { asked, shape }: Sending,
): readonly LogFollowing[] => {
  const followings = sources.map((source) =>
    source.follow({
      tail: asked.tail,
      onText: (text) => {
        stream.send(sentLines(source.name, text.split('\n').slice(0, -1), shape))
        if (!stream.isIdle()) void hold()
      },
    }),
  )
  const hold = async (): Promise<void> => {
    for (const following of followings) following.pause()
    await stream.idle()
    for (const following of followings) following.resume()
  }
  return followings
}
