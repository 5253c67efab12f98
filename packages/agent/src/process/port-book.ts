import { LswapError } from '@lswap/core'
import { anyFreePort, isPortFree } from './listening.ts'

const ATTEMPTS = 50

/** Which ports the models of this agent use, so that two starts at once never choose the same. */
export interface PortBook {
  /** The preferred port when it is free, else another; it stays taken until `release`. */
  take(preferred: number): Promise<number>
  /** A process that was not started here has it. */
  claim(port: number): void
  release(port: number): void
}

/** `stable` are the configured ports of all models: chosen ones avoid them. */
export const createPortBook = (stable: ReadonlySet<number>): PortBook => {
  const taken = new Set<number>()
  return {
    async take(preferred) {
      if (!taken.has(preferred)) {
        taken.add(preferred)
        if (await isPortFree(preferred)) return preferred
        taken.delete(preferred)
      }
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const port = await anyFreePort()
        if (port === undefined) break
        if (taken.has(port) || stable.has(port)) continue
        taken.add(port)
        return port
      }
      throw new LswapError({ code: 'start_failed', message: 'no free port could be found on this machine' })
    },
    claim: (port) => void taken.add(port),
    release: (port) => taken.delete(port),
  }
}
