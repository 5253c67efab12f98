// What it costs to read the queue: where each one stands, why it waits and for how long. The loop does nothing else
// meanwhile, so that what counts is one reading.
import { prepare } from './scheduler.mjs'

const WARM_UP = 2_000
const READINGS = 60
const COLD = 10

/** Milliseconds of CPU of one reading of the first `limit` of so many that wait (of all, when left out): the median and the worst. */
export function measureQueue(policy, waiting, limit) {
  const bench = prepare(policy, waiting)
  // So that something was measured
  for (let turn = 0; turn < WARM_UP; turn += 1) {
    bench.dispatch()
    while (bench.missing() > 0) bench.arrive()
  }
  const took = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    bench.dispatch()
    while (bench.missing() > 0) bench.arrive()
    const before = process.cpuUsage()
    const entries = bench.read(limit)
    const { user, system } = process.cpuUsage(before)
    if (reading >= COLD) took.push((user + system) / 1_000)
    if (entries.length !== Math.min(limit ?? Infinity, waiting)) throw new Error(`${entries.length} of ${waiting} read`)
  }
  took.sort((a, b) => a - b)
  return { medianMs: took[Math.floor(took.length / 2)], worstMs: took.at(-1) }
}
