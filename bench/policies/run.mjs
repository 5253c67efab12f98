// Compares schedulers on five committed open-loop traces, 20 seeds each, on virtual time: medians, and the worst seed.
// Usage: node bench/policies/run.mjs [--json] [--seeds N] [TRACE…] (abab, poisson …; all when left out), after the build.
// With --million it also says how long a simulation of a million requests takes.
import { readFileSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { judge } from './goals.mjs'
import { measureSeed, overSeeds } from './measure.mjs'
import { timeMillion } from './million.mjs'
import { POLICIES } from './policies.mjs'
import { tableOf } from './table.mjs'

const options = { json: { type: 'boolean' }, million: { type: 'boolean' }, seeds: { type: 'string', default: '20' } }
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const folder = new URL('traces/', import.meta.url)
const known = readdirSync(folder).map((file) => file.replace('.ndjson', ''))
const names = positionals.length > 0 ? positionals : known
const seeds = Number(values.seeds)
if (!Number.isInteger(seeds) || seeds < 1 || names.some((name) => !known.includes(name))) {
  console.error(`usage: node bench/policies/run.mjs [--json] [--million] [--seeds N] [${known.join('|')}…]`)
  process.exit(2)
}

const traces = names.map((name) => {
  const head = JSON.parse(readFileSync(new URL(`${name}.ndjson`, folder), 'utf8'))
  const runs = Array.from({ length: seeds }, (_, place) => measureSeed({ ...head, seed: head.seed + place }, POLICIES))
  return { name, head, runs }
})
const goals = judge(traces)
const million = values.million ? timeMillion() : undefined

if (values.json) {
  console.log(JSON.stringify({ node: process.version, seeds, traces: traces.map(summary), goals, million }))
} else {
  console.log(`node ${process.version}, ${seeds} seeds; median / worst seed; waits and times in seconds`)
  for (const trace of traces) {
    console.log(`\n${trace.name}  ${JSON.stringify(trace.head.params)}`)
    console.log(tableOf(summary(trace).policies))
  }
  console.log()
  for (const { goal, found, holds } of goals) console.log(`${holds ? 'holds' : 'FAILS'}  ${goal}: ${found}`)
  if (million !== undefined)
    console.log(
      `\na million requests: ${million.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ')} of CPU`,
    )
}

function summary({ name, head, runs }) {
  return { trace: name, head, policies: POLICIES.map((policy) => overall(policy.name, runs)) }
}

/** Every figure of one policy: the median and the worst over the seeds. */
function overall(policy, runs) {
  const figures = runs.map((run) => run[policy])
  const entries = Object.keys(figures[0]).map((key) => {
    const worst = key === 'jainFairness' ? Math.min : Math.max
    return [key, overSeeds(figures, (one) => one[key], worst)]
  })
  return { policy, ...Object.fromEntries(entries) }
}
