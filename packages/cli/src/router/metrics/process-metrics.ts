import type { ProcessView } from '@lswap/agent'
import { Gauge, type Registry } from 'prom-client'

/** What the agents see, by host. */
export type AskProcesses = () => Promise<ReadonlyMap<string, readonly ProcessView[]>>

/** Asked for when somebody reads; a host that does not answer in time is left out. */
export const addProcessMetrics = (ask: AskProcesses, registers: Registry[]): void => {
  const memory = new Gauge({
    name: 'lswap_engine_memory_bytes',
    help: 'Resident memory of an engine’s processes, where the platform tells.',
    labelNames: ['model', 'host'],
    registers,
    collect: async () => {
      const hosts = await ask()
      memory.reset()
      for (const [host, processes] of hosts) {
        for (const { model, memoryBytes } of processes) {
          if (memoryBytes !== undefined) memory.set({ model, host }, memoryBytes)
        }
      }
    },
  })
}
