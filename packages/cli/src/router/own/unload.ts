import { failureOf, type DrainLimit, type Failure, type ModelConfig, type StopOutcome } from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import { modelNotFound, namesOf, type Catalog } from '../catalog.ts'
import type { RunLoop } from '../loop.ts'
import { untilGone } from './until-gone.ts'

export interface UnloadOptions {
  readonly catalog: Catalog
  readonly loop: RunLoop
  readonly drainTimeoutMs: DrainLimit
  readonly fail: (call: Call, failure: Failure) => void
}

/** Node's longest timer. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Stops a model, or all; answers when the memory is free, or at once with `?wait=false`. `?timeout=`: seconds that running
 * requests may go on; `?force=true` cuts them now, and takes pinned models along.
 */
export const serveUnload = (options: UnloadOptions, call: Call, name: string | undefined): void => {
  const { catalog, loop, fail } = options
  const query = new URLSearchParams(call.query)
  const model = name === undefined ? undefined : catalog.find(name)
  if (name !== undefined && model === undefined) return fail(call, modelNotFound(name, namesOf(catalog.models)))
  if (model !== undefined) call.facts.model = model.id
  const drainMs = readTimeout(query.get('timeout'), options.drainTimeoutMs)
  if (drainMs === undefined) {
    return fail(call, { code: 'invalid_request', message: 'timeout is not a number of seconds, 0 or more.' })
  }
  const force = query.get('force') === 'true'
  const done = loop.unload(model === undefined ? 'all' : [model.id], { drainMs: force ? 0 : drainMs, force })
  if (query.get('wait') === 'false') {
    // It fails only by a bug, which the log tells; not heard by anybody it would end the router
    done.catch(() => {})
    return sendJson(call.res, 202, { msg: 'accepted' })
  }
  // The stop itself goes on: it was asked for, and nobody can say how far it is
  const isAwaited = untilGone(call, { fail })
  done.then(
    (outcomes) => (isAwaited() ? answer(options, call, { outcomes, model }) : undefined),
    (error: unknown) => (isAwaited() ? fail(call, failureOf(error)) : undefined),
  )
  return undefined
}

const answer = (
  { fail }: UnloadOptions,
  call: Call,
  { outcomes, model }: { readonly outcomes: readonly StopOutcome[]; readonly model: ModelConfig | undefined },
): void => {
  const stuck = outcomes.filter(({ outcome }) => outcome === 'stuck')
  if (stuck.length > 0) return fail(call, stuckFailure(stuck))
  const unloaded = outcomes.map(({ placement }) => placement)
  return sendJson(call.res, 200, { msg: 'ok', ...(model === undefined ? {} : { model: model.id }), unloaded })
}

/** On a host that is lost nobody failed to stop anything: nobody was there to be asked. */
const stuckFailure = (stuck: readonly StopOutcome[]): Failure => ({
  code: stuck.every(({ failure }) => failure?.code === 'host_unreachable') ? 'host_unreachable' : 'stop_failed',
  message: stuck
    .map(({ placement, failure }) => `${placement.model} on ${placement.host}: ${failure?.message ?? 'did not end.'}`)
    .join(' '),
})

const readTimeout = (text: string | null, otherwise: DrainLimit): DrainLimit | undefined => {
  if (text === null) return otherwise
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return undefined
  return Math.min(Number(text) * 1000, LONGEST_MS)
}
