import type { ForwardBody, ForwardRequest } from '@lswap/agent'
import type { RequestBody } from './body/body.ts'
import { createSplicer, growth, type Edit } from './body/splice.ts'
import type { Call } from './call.ts'
import { headersToForward } from './request-headers.ts'

export interface Forwarded {
  /** What the filters of its model change in the body. */
  readonly edits: readonly Edit[]
  /** Characters of the path that are not for the engine. */
  readonly cut: number
}

/** What the engine gets: the client's request, with what the filters of its model change. */
export const forwardRequest = (call: Call, body: RequestBody, { cut, edits }: Forwarded): ForwardRequest => ({
  method: call.method,
  path: call.target.slice(cut),
  headers: headersToForward(call.req.rawHeaders, call.rights),
  body: edited(body, edits),
})

const edited = (body: RequestBody, edits: readonly Edit[]): ForwardBody => {
  const splicer = createSplicer(edits)
  const length = body.length()
  const held = body.held().flatMap((chunk) => splicer(chunk))
  const rest = body.openRest(splicer)
  return { length: length === undefined ? undefined : length + growth(edits), held, rest }
}
