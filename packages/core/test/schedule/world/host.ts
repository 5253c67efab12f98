import type { Epoch, HostId, ModelId } from '../../../src/index.ts'

/** A process as the machine knows it. */
export interface Process {
  readonly model: ModelId
  readonly host: HostId
  readonly epoch: Epoch
  slots: number
  /** As many as it ever could serve at once: a reload may lower that while it serves more. */
  mostSlots: number
  /** What the engine tells. */
  readonly told: number
  /** What it was started as. */
  startedAs: string | undefined
  readyAt: number
  phase: 'starting' | 'ready' | 'stopping' | 'stuck'
}

export interface Host {
  readonly id: HostId
  up: boolean
  /** At most one per model: the map is the assertion's subject. */
  readonly processes: Map<ModelId, Process>
}

export const newHost = (id: HostId): Host => ({ id, up: false, processes: new Map() })
