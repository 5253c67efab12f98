import type { Failure } from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import { modelNotFound, namesOf, type Catalog } from '../catalog.ts'
import type { RunLoop } from '../loop.ts'
import { stateOf } from './models.ts'

export interface PinOptions {
  readonly catalog: Catalog
  readonly loop: Pick<RunLoop, 'pin' | 'view'>
  readonly fail: (call: Call, failure: Failure) => void
}

/** Keeps a model loaded, or no longer. It loads nothing: `state` tells whether there is something to keep yet. Idempotent. */
export const servePin = (
  { catalog, loop, fail }: PinOptions,
  call: Call,
  { name, pinned }: { readonly name: string; readonly pinned: boolean },
): void => {
  const model = catalog.find(name)
  if (model === undefined) return fail(call, modelNotFound(name, namesOf(catalog.models)))
  call.facts.model = model.id
  loop.pin(model.id, pinned)
  const view = loop.view().models.get(model.id)
  return sendJson(call.res, 200, { msg: 'ok', model: model.id, pinned: view?.pinned ?? pinned, state: stateOf(view) })
}
