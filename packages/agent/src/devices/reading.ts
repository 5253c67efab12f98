import type { AgentMetrics } from '@lswap/core/protocol'
import type { HostMemory } from './host-memory.ts'

/** What is known of one device, and since when. */
export type DeviceReading = Omit<AgentMetrics['devices'][number], 'roomBytes' | 'othersBytes'>

/** The memory of a machine at one moment. */
export interface MachineReading {
  /** Undefined: nobody can tell. */
  readonly memory: HostMemory | undefined
  readonly devices: readonly DeviceReading[]
  /** Those that were found, where others are declared. */
  readonly found?: readonly DeviceReading[]
}
