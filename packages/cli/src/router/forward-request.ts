import type { ModelConfig } from '@lswap/core'
import type { ForwardBody, ForwardRequest } from '@lswap/agent'
import type { RequestBody } from './body/body.ts'
import { splice } from './body/splice.ts'
import type { Call } from './call.ts'
import { headersToForward } from './request-headers.ts'

/** The model that a body names, and where in it. */
export interface NamedModel {
  readonly model: ModelConfig
  /** The value of `model`, quotes and all, in bytes from the body's start. */
  readonly start: number
  readonly end: number
}

/** What the engine gets: the client's request, with the engine's own name for the model where the config gives one. */
export const forwardRequest = (call: Call, body: RequestBody, named: NamedModel): ForwardRequest => ({
  method: call.method,
  path: call.target,
  headers: headersToForward(call.req.rawHeaders),
  body: renamed(body, named),
})

const renamed = (body: RequestBody, { model, start, end }: NamedModel): ForwardBody => {
  const length = body.length()
  const held = body.held()
  const rest = body.openRest()
  if (model.useModelName === undefined) return { length, held, rest }
  const name = Buffer.from(JSON.stringify(model.useModelName))
  return {
    length: length === undefined ? undefined : length + name.length - (end - start),
    held: splice(held, { start, end }, name),
    rest,
  }
}
