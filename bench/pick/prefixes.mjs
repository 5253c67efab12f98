// Compares pickers on committed traces of conversations whose prompts share beginnings, 20 seeds each, on virtual time: what share of
// the prompts' tokens their engine still had, how requests spread over replicas, and how long people waited.
// Usage: node bench/pick/prefixes.mjs [--json] [--seeds N] [--thresholds] [TRACE…] (chat, agents …; all when left out), after the build.
import { readFileSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  createPicker,
  DEFAULT_SERIAL,
  fleetOf,
  optionsFor,
  readTrace,
  simulate,
} from '../../packages/core/dist/src/index.js'
import { overSeeds } from '../policies/measure.mjs'

const options = {
  json: { type: 'boolean' },
  seeds: { type: 'string', default: '20' },
  // By how many requests a holder's queue may be the longer one, tried out
  thresholds: { type: 'boolean' },
}
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const folder = new URL('traces/', import.meta.url)
const known = readdirSync(folder).map((file) => file.replace('.ndjson', ''))
const names = positionals.length > 0 ? positionals : known
const seeds = Number(values.seeds)
if (!Number.isInteger(seeds) || seeds < 1 || names.some((name) => !known.includes(name))) {
  console.error(`usage: node bench/pick/prefixes.mjs [--json] [--seeds N] [--thresholds] [${known.join('|')}…]`)
  process.exit(2)
}

const PICKERS = [{ use: 'least-loaded' }, { use: 'tree' }, { use: 'prefix' }]
const TRIED = [0, 1, 2, 3, 4].map((prefixQueueThreshold) => ({ use: 'prefix', prefixQueueThreshold }))
const pickers = values.thresholds ? [...PICKERS, ...TRIED] : PICKERS

const traces = names.map((name) => {
  const head = JSON.parse(readFileSync(new URL(`${name}.ndjson`, folder), 'utf8'))
  const all = Array.from({ length: seeds }, (_, place) => ({ ...head, seed: head.seed + place }))
  return { name, head, rows: pickers.map((settings) => rowOf(settings, all)) }
})
const goals = traces.map((trace) => judge(trace))

if (values.json) console.log(JSON.stringify({ node: process.version, seeds, traces, goals }))
else {
  console.log(`node ${process.version}, ${seeds} seeds; median / worst seed; times in seconds`)
  for (const { name, head, rows } of traces) {
    console.log(`\n${name}  ${JSON.stringify(head.params)}`)
    console.log('picker         found       spread     wait p95      first token p50  first token p95  makespan')
    for (const row of rows) console.log(lineOf(row))
  }
  console.log()
  for (const { goal, found, holds } of goals) console.log(`${holds ? 'holds' : 'FAILS'}  ${goal}: ${found}`)
}
if (goals.some(({ holds }) => !holds)) process.exitCode = 1

/** One picker over all seeds. */
function rowOf(settings, heads) {
  const runs = heads.map((head) => figuresOf(settings, head))
  const figures = Object.keys(runs[0]).map((key) => [
    key,
    overSeeds(runs, (run) => run[key], key === 'found' ? Math.min : Math.max),
  ])
  const { use, prefixQueueThreshold: threshold } = settings
  return { picker: threshold === undefined ? use : `${use} ≤${threshold}`, ...Object.fromEntries(figures) }
}

function figuresOf(settings, head) {
  const trace = readTrace(JSON.stringify(head))
  const fleet = fleetOf(head.fleet)
  const picker = (random) => createPicker(settings, { random })
  const { prompts, servedByHost, waits, makespanMs } = simulate(trace, fleet, {
    ...optionsFor(trace, fleet, { policy: DEFAULT_SERIAL, picker }),
    seed: head.seed,
  })
  const served = Object.values(servedByHost)
  return {
    found: prompts.foundTokens / prompts.tokens,
    // The busiest replica's share over an equal one
    spread: (Math.max(...served) * served.length) / served.reduce((sum, count) => sum + count, 0),
    waitP95Ms: waits.normal.p95Ms,
    firstP50Ms: prompts.firstTokens.p50Ms,
    firstP95Ms: prompts.firstTokens.p95Ms,
    makespanMs,
  }
}

/** What the comparison must show: more is found than by any other picker, and nobody waits longer for the first token. */
function judge({ name, rows }) {
  const row = (picker) => rows.find((one) => one.picker === picker)
  const [prefix, ...others] = ['prefix', 'tree', 'least-loaded'].map(row)
  const most = Math.max(...others.map(({ found }) => found.median))
  const soonest = Math.min(...others.map(({ firstP95Ms }) => firstP95Ms.median))
  return {
    goal: `${name}: prefix finds more than the others, and the first token comes no later`,
    found: `${share(prefix.found.median)} against ${share(most)}; p95 ${seconds(prefix.firstP95Ms.median)} against ${seconds(soonest)} s`,
    holds: prefix.found.median > most && prefix.firstP95Ms.median <= soonest,
  }
}

function lineOf(row) {
  return [
    row.picker.padEnd(13),
    pair(row.found, share).padEnd(10),
    pair(row.spread, (value) => value.toFixed(2)).padEnd(9),
    pair(row.waitP95Ms, seconds).padEnd(12),
    pair(row.firstP50Ms, seconds).padEnd(15),
    pair(row.firstP95Ms, seconds).padEnd(15),
    pair(row.makespanMs, seconds),
  ].join('  ')
}

function pair({ median, worst }, print) {
  return `${print(median)}/${print(worst)}`
}

function share(value) {
  return `${(value * 100).toFixed(0)}%`
}

function seconds(ms) {
  return (ms / 1_000).toFixed(ms < 99_950 ? 1 : 0)
}
