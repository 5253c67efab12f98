// How long a command takes from its start to its end: the bundle, each run a process of its own.
// Usage, after the build: node bench/startup/run.mjs [--runs 30] [--bundle DIR] [--json]
//
// The cases take turns, so that the noise of the machine hits all alike; `node -e 0` is what Node itself needs. Always
// exits with 0: these are figures, not a test.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { root } from '../../scripts/lib/root.mjs'
import { isHealthy, until } from '../../scripts/lib/wait.mjs'
import { describeMachine } from '../swap/lib/report.mjs'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '30' },
    bundle: { type: 'string', default: join(root, 'packages/cli/bundle') },
    json: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`bench/startup: --runs ${values.runs}: not a number of runs`)
  process.exit(2)
}

const cli = join(values.bundle, 'cli.js')
const folder = await mkdtemp(join(tmpdir(), 'lswap-bench-startup-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
// Certificates that nobody needs cost every Node process tens of milliseconds at its start.
const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env
const env = { ...rest, LSWAP_URL: url, LSWAP_STATE_DIR: join(folder, 'state'), LSWAP_CONFIG: '' }

const cases = [
  { name: 'node -e 0', argv: ['-e', '0'] },
  { name: 'lswap --version', argv: [cli, '--version'], goalMs: 120 },
  { name: 'lswap --help', argv: [cli, '--help'] },
  { name: 'lswap ps', argv: [cli, 'ps'], goalMs: 200 },
  { name: 'lswap models', argv: [cli, 'models'] },
  { name: 'names for a shell', argv: [cli, '__complete', '--', 'lswap', 'load'] },
]

const served = spawn(process.execPath, [cli, 'serve', '--demo', '--listen', `127.0.0.1:${port}`], {
  env,
  stdio: 'ignore',
})
const ended = new Promise((resolve) => served.once('exit', resolve))
try {
  await until('serve is healthy', () => isHealthy(url), { limitMs: 20_000 })
  const times = cases.map(() => [])
  // The first round warms the caches of the disk
  for (let round = 0; round <= runs; round += 1) {
    for (const [at, { argv }] of cases.entries()) {
      const took = run(argv)
      if (round > 0) times[at].push(took)
    }
  }
  const results = cases.map(({ name, goalMs = null }, at) => Object.assign({ name, goalMs }, spread(times[at])))
  const report = { ...describeMachine(), runs, results }
  console.log(values.json ? JSON.stringify(report, undefined, 2) : format(report))
} finally {
  served.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
}

function run(argv) {
  const began = performance.now()
  execFileSync(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return performance.now() - began
}

function spread(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  return { minMs: at(0), medianMs: at(0.5), p95Ms: at(0.95) }
}

function format({ date, node, platform, processors, runs: count, results }) {
  const head = `${'milliseconds'.padEnd(20)}${['min', 'median', 'p95'].map((title) => title.padStart(7)).join('')}`
  return [
    `${date}, ${node}, ${platform}, ${processors}, ${count} runs`,
    head,
    ...results.map((result) => line(result)),
  ].join('\n')
}

function line({ name, minMs, medianMs, p95Ms, goalMs }) {
  const goal = goalMs === null ? '' : `  goal ${goalMs}: ${medianMs <= goalMs ? 'met' : 'missed'}`
  const cells = [minMs, medianMs, p95Ms].map((ms) => ms.toFixed(0).padStart(7))
  return `${name.padEnd(20)}${cells.join('')}${goal}`
}
