import { overSeeds } from './measure.mjs'

const URGENT_GOAL = 4
const SWAPS_GOAL = 3

/** What the comparison must show, as far as the traces were run. Ratios are taken seed by seed; the median decides. */
export function judge(traces) {
  const runsOf = (name) => traces.find((trace) => trace.name === name)?.runs
  const goals = []
  const mixed = runsOf('mixed')
  if (mixed !== undefined) {
    const ratio = overSeeds(mixed, (run) => run['fifo, no priorities'].urgentP95Ms / run.serial.urgentP95Ms, Math.min)
    goals.push(
      atLeast(
        `urgent p95 under batch load, serial against fifo without priorities, ${URGENT_GOAL} × lower`,
        ratio,
        URGENT_GOAL,
      ),
    )
  }
  const abab = runsOf('abab')
  if (abab !== undefined) {
    const ratio = overSeeds(abab, (run) => run['arrival order'].swaps / run.serial.swaps, Math.min)
    goals.push(atLeast(`swaps on ABAB, serial against arrival order, ${SWAPS_GOAL} × fewer`, ratio, SWAPS_GOAL))
  }
  for (const { name, runs } of traces) {
    const { worst } = overSeeds(runs, (run) => run['serial, no keys'].boundExcessMs)
    goals.push({
      goal: `serial keeps its bound on ${name}`,
      found: worst > 0 ? `exceeded by ${(worst / 1_000).toFixed(3)} s` : `${(-worst / 1_000).toFixed(3)} s to spare`,
      holds: worst <= 0,
    })
  }
  return goals
}

const atLeast = (goal, { median, worst }, least) => ({
  goal,
  found: `median ${median.toFixed(1)}, worst seed ${worst.toFixed(1)}`,
  holds: median >= least,
})
