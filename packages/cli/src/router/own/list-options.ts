import type { ModelId, SchedulerView } from '@lswap/core'
import type { Catalog } from '../catalog.ts'
import type { Names } from '../names/names.ts'
import type { Peers } from '../peers/peers.ts'

export interface ListOptions {
  readonly catalog: Catalog
  readonly view: SchedulerView
  readonly startedAt: number
  /** Whether each alias gets a row of its own, behind its model's. */
  readonly withAliases: boolean
  readonly names: Names
  readonly peers: Peers
  readonly mayUse: (model: ModelId) => boolean
}
