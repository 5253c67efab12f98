import type { ForwardBody, ForwardRequest } from '@lswap/agent'
import type { RequestBody } from './body/body.ts'
import { growth, splice, type Edit } from './body/splice.ts'
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
  const length = body.length()
  const held = body.held()
  const rest = body.openRest()
  if (edits.length === 0) return { length, held, rest }
  return { length: length === undefined ? undefined : length + growth(edits), held: splice(held, edits), rest }
}
