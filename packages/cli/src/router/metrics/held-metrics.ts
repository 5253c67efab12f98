import { Gauge, type Registry } from 'prom-client'
import type { BodyMemory } from '../body/memory.ts'

/** What requests hold at the moment. */
export interface Held {
  readonly memory: Pick<BodyMemory, 'taken'>
  readonly disk: Pick<BodyMemory, 'taken'>
  /** Requests of every kind whose answer is not complete. */
  readonly openRequests: () => number
}

export const addHeldMetrics = ({ memory, disk, openRequests }: Held, registers: Registry[]): void => {
  const bodies = new Gauge({
    name: 'lswap_body_bytes',
    help: 'Bytes that bodies of requests take, in memory (with what keeping them costs) and in files.',
    labelNames: ['where'],
    registers,
    collect: (): void => {
      bodies.set({ where: 'memory' }, memory.taken())
      bodies.set({ where: 'file' }, disk.taken())
    },
  })
  const open = new Gauge({
    name: 'lswap_open_requests',
    help: 'Requests of every kind whose answer is not complete, the one for this page included.',
    registers,
    collect: (): void => open.set(openRequests()),
  })
}
