import { createScheduler, fleetOf, optionsFor, readTrace, simulateWith } from '../../packages/core/dist/src/index.js'
import { DEFAULT_FIFO, DEFAULT_SERIAL } from '../../packages/core/dist/src/index.js'

const HEAD = {
  kind: 'poisson',
  seed: 1,
  params: {
    models: 6,
    requests: 1_000_000,
    callers: 5,
    meanGapMs: 600,
    skew: 1.5,
    tokens: 50,
    urgentShare: 0.1,
    batchShare: 0.2,
  },
  fleet: { loadMs: 2_000, slots: 16 },
}

/** Seconds of CPU that simulating a million requests takes: what else runs on the machine matters less than for the clock. */
export function timeMillion() {
  const trace = readTrace(JSON.stringify(HEAD))
  const fleet = fleetOf(HEAD.fleet)
  return [DEFAULT_FIFO, DEFAULT_SERIAL].map((policy) => {
    const scheduler = createScheduler(optionsFor(trace, fleet, { policy }))
    const before = process.cpuUsage()
    simulateWith(scheduler, trace, fleet)
    const { user, system } = process.cpuUsage(before)
    return { name: policy.use, seconds: (user + system) / 1e6 }
  })
}
