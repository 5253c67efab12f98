import type { AgentMetrics } from '@lswap/core/protocol'
import type { ProcessView } from '../agent.ts'
import type { Devices } from '../devices/devices.ts'

/** One snapshot of the machine and what runs on it. */
export const measure = async (views: readonly ProcessView[], sensors: Devices): Promise<AgentMetrics> => {
  const { memory, devices } = await sensors.known()
  return {
    at: Date.now(),
    memory: memory ?? null,
    devices: [...devices],
    processes: views
      .filter(({ phase }) => phase !== 'stopped')
      .map(({ model, epoch, pid, memoryBytes }) => ({
        model,
        epoch: epoch ?? null,
        pid: pid ?? null,
        memoryBytes: memoryBytes ?? null,
        deviceBytes: null,
        engine: null,
      })),
  }
}
