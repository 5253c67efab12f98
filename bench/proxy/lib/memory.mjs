import { setTimeout as pause } from 'node:timers/promises'
import { forgetPeak, peakMiB, residentMiB } from './usage.mjs'

const GIB = 1024 ** 3
const settleMs = 2_000

/**
 * Memory of lswap in MiB: at rest, its peak while one body of 1 GiB goes through, and with idle connections. Each on a fresh
 * one, since memory that was used once is not always given back.
 */
export async function measureMemory({ clients, start, bytes = GIB, connections = 10_000 }) {
  const fresh = async (measure) => {
    const target = await start()
    try {
      await pause(settleMs)
      return await measure(target)
    } finally {
      await target.close()
    }
  }
  const peakOf = async (target, transfer) => {
    forgetPeak(target.pid)
    const { errors, seconds } = await transfer(target, { bytes })
    if (errors > 0) throw new Error('a body of a gibibyte did not come through')
    return { peakMiB: peakMiB(target.pid), seconds, MiB: bytes / 1024 ** 2 }
  }
  return {
    rest: await fresh((target) => residentMiB(target.pid)),
    up: await fresh((target) => peakOf(target, clients.up)),
    down: await fresh((target) => peakOf(target, clients.down)),
    idle: await fresh((target) =>
      clients.idle(target, { count: connections }, async () => {
        await pause(settleMs)
        return { residentMiB: residentMiB(target.pid) }
      }),
    ),
  }
}
