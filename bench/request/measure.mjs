import { setImmediate as turn } from 'node:timers/promises'

const BATCH = 512
const AT_ONCE = 64

/**
 * Mean CPU of one call, collections of garbage included, and what it allocates: how the heap grows over calls between which
 * nothing is collected. The event loop turns after each 64, so that what is done once a turn is done.
 */
export async function measure(act, times) {
  await repeat(act, times / 2)
  globalThis.gc()
  const before = process.cpuUsage()
  await repeat(act, times)
  const { user, system } = process.cpuUsage(before)
  const grown = []
  for (let batch = 0; batch < 15; batch += 1) {
    globalThis.gc()
    const from = process.memoryUsage().heapUsed
    await repeat(act, BATCH)
    grown.push(process.memoryUsage().heapUsed - from)
  }
  grown.sort((a, b) => a - b)
  return { us: (user + system) / times, bytes: grown[grown.length >> 1] / BATCH }
}

async function repeat(act, times) {
  for (let done = 0; done < times;) {
    const until = Math.min(times, done + AT_ONCE)
    for (; done < until; done += 1) act()
    await turn()
  }
}
