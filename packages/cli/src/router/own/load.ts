import type { Failure } from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import { modelNotFound, namesOf, type Catalog } from '../catalog.ts'
import type { LoadOutcome, RunLoop } from '../loop.ts'
import { untilGone } from './until-gone.ts'

export interface LoadOptions {
  readonly catalog: Catalog
  readonly loop: RunLoop
  readonly fail: (call: Call, failure: Failure) => void
}

/** Starts a model if need be; answers when it is ready, or at once with `?wait=false`. Idempotent. */
export const serveLoad = ({ catalog, loop, fail }: LoadOptions, call: Call, name: string): void => {
  const model = catalog.find(name)
  if (model === undefined) return fail(call, modelNotFound(name, namesOf(catalog.models)))
  call.facts.model = model.id
  const answer = (outcome: LoadOutcome): void => {
    if (outcome.type === 'failed') return fail(call, outcome.failure)
    call.facts.host = outcome.placement.host
    return sendJson(call.res, 200, { msg: 'ok', model: model.id, state: 'ready', host: outcome.placement.host })
  }
  const load = loop.load(model.id, call.id)
  const known = load.outcome()
  if (known !== undefined) return answer(known)
  if (new URLSearchParams(call.query).get('wait') === 'false') {
    return sendJson(call.res, 202, { msg: 'accepted', model: model.id, state: 'loading' })
  }
  const isAwaited = untilGone(call, { fail, onGone: () => loop.cancel(load.request) })
  void load.done.then((outcome) => (isAwaited() ? answer(outcome) : undefined))
  return undefined
}
