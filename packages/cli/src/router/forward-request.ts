import type { ForwardBody, ForwardRequest } from '@lswap/agent'
import type { RequestBody } from './body/body.ts'
import { createSplicer, growth, type Edit } from './body/splice.ts'
import type { Call } from './call.ts'
import type { ClientRequest } from './messages.ts'
import { headersToForward } from './request-headers.ts'

export interface Forwarded {
  /** What the filters of its model change in the body. */
  readonly edits: readonly Edit[]
  /** With its query. */
  readonly path: string
  /** Its end keeps nobody waiting. */
  readonly isPassive: boolean
}

/** What the engine gets: the client's request, with what the filters of its model change. */
export const forwardRequest = (
  call: Call,
  body: RequestBody,
  { path, edits, isPassive }: Forwarded,
): ForwardRequest => ({
  method: call.method,
  path,
  headers: headersToForward(call.req.rawHeaders, call.rights),
  body: edited(call, body, edits),
  ...(call.upgraded === undefined ? {} : { upgrade: true }),
  ...(isPassive ? { passive: true } : {}),
})

const edited = ({ req, rights }: Call, body: RequestBody, edits: readonly Edit[]): ForwardBody => {
  const splicer = createSplicer(edits)
  // A request without a body, as most GETs are, gets no `Content-Length: 0`
  const length = isFramed(req) ? body.length() : undefined
  const chunks = body.held()
  const held = edits.length === 0 ? chunks : chunks.flatMap((chunk) => splicer(chunk))
  const rest = body.openRest(splicer)
  // The forwarder reads them at the end, when they have come
  if (rest !== undefined) {
    Object.defineProperty(rest, 'rawTrailers', { get: () => headersToForward(req.rawTrailers, rights) })
  }
  return { length: length === undefined ? undefined : length + growth(edits), held, rest }
}

const isFramed = ({ headers }: ClientRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
