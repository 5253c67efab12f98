import { setTimeout as pause } from 'node:timers/promises'
import { forgetPeak, peakMiB, residentMiB } from './usage.mjs'

const GIB = 1024 ** 3
const settleMs = 2_000
/** By then lswap has given back what it does not need: it does so after half a minute without a request. */
const laterMs = 40_000

/**
 * Memory of lswap in MiB: at rest, its peak while one body of 1 GiB goes through, and with idle connections. Each on a fresh
 * one, since memory that was used once is not always given back. What is idle is looked at two seconds after the last request, and when
 * `waitMs` are over.
 */
export async function measureMemory({ clients, start, bytes = GIB, connections = 10_000, waitMs = laterMs }) {
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
  const idleOf = async ({ pid }) => {
    const soon = residentMiB(pid)
    await pause(waitMs)
    return { residentMiB: soon, laterMiB: residentMiB(pid), waitedMs: settleMs + waitMs }
  }
  return {
    rest: await fresh(idleOf),
    up: await fresh((target) => peakOf(target, clients.up)),
    down: await fresh((target) => peakOf(target, clients.down)),
    idle: await fresh((target) =>
      clients.idle(target, { count: connections }, async () => {
        await pause(settleMs)
        return idleOf(target)
      }),
    ),
  }
}
