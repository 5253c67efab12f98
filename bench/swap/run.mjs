// What a swap through lswap costs beyond what the engine itself needs.
// Usage, after the build: node bench/swap/run.mjs [--swaps 50] [--engine simulated|real|both] [--cpus 0,1] [--bundle DIR] [--json]
//
// Each round is one swap through `lswap serve` and one of the same engine driven directly, in turn first and second, so
// that the noise of the machine hits both alike. Overhead is what the client of lswap saw minus the direct time of the
// same round. Always exits with 0: these are figures, not a test.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../scripts/lib/root.mjs'
import { realEngine, simulatedEngine } from './lib/engines.mjs'
import { measureSwaps } from './lib/measure.mjs'
import { describeMachine, formatReport, summarise } from './lib/report.mjs'

const kinds = { simulated: simulatedEngine, real: realEngine }
const wanted = readCommandLine()
// Where set it costs every Node process tens of milliseconds at its start: the simulated engine is one.
delete process.env.NODE_EXTRA_CA_CERTS
// Children inherit it: a machine with many processors then moves nothing about between them.
if (wanted.cpus !== undefined) execFileSync('taskset', ['-cp', wanted.cpus, String(process.pid)], { stdio: 'ignore' })
// Without a listener a signal ends the process with no 'exit' event, and engines stay.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

const folder = await mkdtemp(join(tmpdir(), 'lswap-bench-swap-'))
try {
  const results = []
  for (const kind of wanted.engines) results.push(await resultOf(kind))
  const report = { ...describeMachine(), cpus: wanted.cpus, swaps: wanted.swaps, results }
  console.log(wanted.json ? JSON.stringify(report, undefined, 2) : formatReport(report))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function resultOf(kind) {
  const engine = await kinds[kind]({ bundle: wanted.bundle })
  if (engine.missing !== undefined) return { engine: kind, missing: engine.missing }
  const rounds = await measureSwaps({ engine, swaps: wanted.swaps, bundle: wanted.bundle, folder: join(folder, kind) })
  return { engine: kind, summary: summarise(rounds), rounds }
}

function readCommandLine() {
  try {
    const { values } = parseArgs({
      options: {
        swaps: { type: 'string', default: '50' },
        engine: { type: 'string', default: 'both' },
        cpus: { type: 'string' },
        bundle: { type: 'string', default: join(root, 'packages/cli/bundle') },
        json: { type: 'boolean', default: false },
      },
    })
    const swaps = Number(values.swaps)
    if (!Number.isInteger(swaps) || swaps < 1) throw new Error(`--swaps ${values.swaps}: not a number of swaps`)
    const engines = values.engine === 'both' ? Object.keys(kinds) : [values.engine]
    if (!engines.every((name) => Object.hasOwn(kinds, name)))
      throw new Error(`--engine ${values.engine}: simulated, real or both`)
    return { ...values, swaps, engines }
  } catch (error) {
    console.error(`bench/swap: ${error.message}`)
    return process.exit(2)
  }
}
