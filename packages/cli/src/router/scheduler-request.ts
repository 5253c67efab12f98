import { criticalityOf, type ModelConfig, type Request } from '@lswap/core'
import type { Call } from './call.ts'
import type { InferenceRoute } from './inference-route.ts'
import type { AskedHeaders } from './request-headers.ts'
import { isWebSocket } from './upgrade/asked.ts'

export interface Wished {
  readonly route: InferenceRoute
  readonly asked: AskedHeaders
  /** The name that the model was called by. */
  readonly calledAs: string
}

/** What the scheduler is asked for: what the request wishes, no more than its key allows. */
export const requestFor = (
  { id, req, rights, upgraded }: Call,
  model: ModelConfig,
  { route, asked, calledAs }: Wished,
): Request => {
  const { priority = model.priority } = asked
  const criticality = criticalityOf({ asked: asked.criticality, configured: model.criticality, priority })
  const isIgnored = model.ignoreWebsockets === true && upgraded !== undefined && isWebSocket(req.headers)
  const { caller, callerLimit } = rights
  // As it is configured: requests are remembered, and a name that came would keep the whole head that it stood in
  const adapter = model.adapters?.find(({ alias }) => alias === calledAs)?.alias
  return {
    id,
    model: model.id,
    ...rights.cap({ priority, criticality }),
    noLoad: asked.noLoad || isIgnored,
    caller,
    ...(callerLimit === undefined ? {} : { callerLimit }),
    takesSlot: route.takesSlot,
    ...(route.passive === true ? { passive: true } : {}),
    // For the picker: replicas that have it loaded are preferred
    ...(adapter === undefined ? {} : { adapter }),
  }
}
