import type { ModelConfig } from '@lswap/core'
import type { ForwardBody, ForwardRequest } from '@lswap/agent'
import type { RequestBody } from './body/body.ts'
import { splice } from './body/splice.ts'
import type { Call } from './call.ts'
import { headersToForward } from './request-headers.ts'

/** The model that a body names, and where in it. */
export interface NamedModel {
  readonly model: ModelConfig
  /** The value of `model`, quotes and all, in bytes from the body's start; undefined: the body does not tell it. */
  readonly place: { readonly start: number; readonly end: number } | undefined
}

export interface Forwarded {
  readonly named: NamedModel
  /** Characters of the path that are not for the engine. */
  readonly cut: number
}

/** What the engine gets: the client's request, with the engine's own name for the model where the config gives one. */
export const forwardRequest = (call: Call, body: RequestBody, { cut, named }: Forwarded): ForwardRequest => ({
  method: call.method,
  path: call.target.slice(cut),
  headers: headersToForward(call.req.rawHeaders, call.rights),
  body: renamed(body, named),
})

const renamed = (body: RequestBody, { model, place }: NamedModel): ForwardBody => {
  const length = body.length()
  const held = body.held()
  const rest = body.openRest()
  if (model.useModelName === undefined || place === undefined) return { length, held, rest }
  const name = Buffer.from(JSON.stringify(model.useModelName))
  return {
    length: length === undefined ? undefined : length + name.length - (place.end - place.start),
    held: splice(held, place, name),
    rest,
  }
}
