import type { BodyMemory } from '../body/memory.ts'
import type { Catalog } from '../catalog.ts'
import type { Clock } from '../clock.ts'
import type { Lookout } from '../early/lookout.ts'
import type { InferenceRoute } from '../inference-route.ts'
import type { RouterLimits } from '../limits.ts'
import type { Log } from '../log.ts'
import type { RunLoop } from '../loop.ts'
import type { ModelSource } from '../model-source.ts'
import type { Names } from '../names/names.ts'
import type { AskedHeaders, BodyLimit } from '../request-headers.ts'

export interface ExchangeOptions {
  readonly catalog: Catalog
  readonly names: Names
  readonly loop: RunLoop
  readonly memory: BodyMemory
  readonly disk: BodyMemory
  readonly limits: RouterLimits
  readonly clock: Clock
  readonly lookout: Lookout
  readonly log: Log
}

/** What is known of a request before its body. */
export interface Asked {
  readonly route: InferenceRoute
  readonly asked: AskedHeaders
  readonly source: Exclude<ModelSource, { readonly type: 'failed' }>
  readonly most: BodyLimit
}
