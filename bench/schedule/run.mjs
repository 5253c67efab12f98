// What one decision of the scheduler costs with many requests waiting, one look at the queue, and one plan of the matrix
// swapper.
// Usage: node bench/schedule/run.mjs [--policy NAME] [WAITING] (100000 when left out), after the build.
import { parseArgs } from 'node:util'
import { DEFAULT_SERIAL } from '../../packages/core/dist/src/index.js'
import { measureMatrix } from './matrix.mjs'
import { measureQueue } from './queue.mjs'
import { measureScheduler } from './scheduler.mjs'

const GOAL_US = 20
const GOAL_RATIO = 3
const MATRIX_GOAL_US = 50
const QUEUE_GOAL_MS = 20
/** How many wait, and how many of them are told: all, or what a page and the event feed ask for. */
const READINGS = [
  [2_000, undefined],
  [5_000, undefined],
  [5_000, 100],
  [5_000, 500],
]
const FEW = 1_000

/** What is measured, by the name that it has on the command line. */
const POLICIES = {
  fifo: { policy: { use: 'fifo', fairAfterMs: 60_000 }, afterMs: 0 },
  'fifo-overdue': { policy: { use: 'fifo', fairAfterMs: 60_000 }, afterMs: 3_600_000 },
  serial: { policy: DEFAULT_SERIAL, afterMs: 0 },
}

const { values, positionals } = parseArgs({ options: { policy: { type: 'string' } }, allowPositionals: true })
const many = Number(positionals[0] ?? 100_000)
const names = values.policy === undefined ? Object.keys(POLICIES) : [values.policy]
const unknown = names.find((name) => !Object.hasOwn(POLICIES, name))
if (!Number.isInteger(many) || many < FEW || unknown !== undefined) {
  console.error(`usage: node bench/schedule/run.mjs [--policy ${Object.keys(POLICIES).join('|')}] [WAITING ≥ ${FEW}]`)
  process.exit(2)
}

console.log(`node ${process.version}, 50 models on one host, mean µs of CPU each, with the question for the next tick`)
for (const name of names) {
  const few = measureScheduler(POLICIES[name], FEW)
  const full = measureScheduler(POLICIES[name], many)
  for (const what of ['arrival', 'dispatch', 'cancel', 'dispatch and swap']) {
    if (full[what] === undefined) continue
    const [before, after] = [few[what] ?? NaN, full[what]]
    const figures =
      `${name} ${what}`.padEnd(32) +
      `${(Number.isNaN(before) ? '-' : before.toFixed(1)).padStart(7)} at ${FEW} ${after.toFixed(1).padStart(7)} at ${many}`
    const ratio = after / before
    const goals = `${verdict(after <= GOAL_US)} ${GOAL_US}; ratio ${ratio.toFixed(1)}, ${verdict(ratio <= GOAL_RATIO)} ${GOAL_RATIO}`
    console.log(what === 'dispatch and swap' ? figures : `${figures}, ${goals}`)
  }
}
for (const name of names) {
  for (const [waiting, limit] of READINGS) {
    const { medianMs, worstMs } = measureQueue(POLICIES[name], waiting, limit)
    console.log(
      `${`${name} queue read`.padEnd(32)}${String(limit ?? 'all').padStart(5)} of ${waiting}: median ${medianMs.toFixed(1)} ms, worst ${worstMs.toFixed(1)}, ${verdict(medianMs <= QUEUE_GOAL_MS)} ${QUEUE_GOAL_MS}`,
    )
  }
}
const plan = measureMatrix({ models: 64, sets: 200 })
console.log(
  `matrix plan, 64 models, 200 sets: mean ${plan.meanUs.toFixed(2)}, worst ${plan.worstUs.toFixed(2)}, ${verdict(plan.meanUs <= MATRIX_GOAL_US)} ${MATRIX_GOAL_US}`,
)

function verdict(holds) {
  return holds ? 'within the goal of' : 'OVER the goal of'
}
