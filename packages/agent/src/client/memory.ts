import type { MemoryReport } from '@lswap/core'
import type { AgentAbout, AgentMetrics } from '@lswap/core/protocol'

/** What an agent told of its memory. */
export interface RemoteMemory {
  /** True: its models need something else than they did. */
  learn(about: Pick<AgentAbout, 'devices' | 'sizes'>): boolean
  sampled(metrics: Pick<AgentMetrics, 'devices'>): void
  /** Undefined: it told nothing yet. */
  report(): MemoryReport | undefined
}

export const createRemoteMemory = (): RemoteMemory => {
  let devices: AgentMetrics['devices'] | undefined
  let sizes: AgentAbout['sizes'] = []
  const bytes = (of: 'roomBytes' | 'othersBytes'): Record<string, number> =>
    Object.fromEntries((devices ?? []).flatMap((device) => (device[of] == null ? [] : [[device.name, device[of]]])))
  return {
    learn: (about) => {
      const isOther = JSON.stringify(sizes) !== JSON.stringify(about.sizes)
      devices = about.devices
      sizes = about.sizes
      return isOther
    },
    sampled: (metrics) => {
      devices = metrics.devices
    },
    report: () => devices && { room: bytes('roomBytes'), others: bytes('othersBytes'), sizes },
  }
}
