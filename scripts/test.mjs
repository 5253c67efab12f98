// Runs the compiled tests with Node's own runner. `scripts/test` builds first and then comes here.
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run } from 'node:test'
import { tap } from 'node:test/reporters'
import { engineForTests } from './lib/engine-for-tests.mjs'
import { root } from './lib/root.mjs'
import { tapReport } from './lib/tap-report.mjs'
import { testFiles } from './lib/test-files.mjs'
import { testProcesses } from './lib/test-processes.mjs'

const filters = process.argv.slice(2)
const all = await testFiles()
const chosen = filters.length === 0 ? all : all.filter(({ source }) => filters.some((part) => source.includes(part)))
if (chosen.length === 0) refuse(`no test file's path contains ${filters.map((part) => `'${part}'`).join(' or ')}`)
const unbuilt = chosen.filter(({ runs }) => !existsSync(join(root, runs)))
if (unbuilt.length > 0) refuse(`not built (run scripts/setup): ${unbuilt.map(({ source }) => source).join(', ')}`)

// Named at the end, so that what a property test found by chance can be found again.
const seed = process.env.LSWAP_PROP_SEED || String(Date.now() % 1_000_000_000)
const engine = await engineForTests()
const report = tapReport({ write: (line) => console.log(line), colour: process.stdout.isTTY })
Object.assign(process.env, engine.env, {
  LSWAP_PROP_SEED: seed,
  // Nothing is to be cut short because the machine is busy; tap's own limit is 30 s for a file
  TAP_TIMEOUT: '240',
  // Compiled code is kept from one file to the next; Node 20 does not know it
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/lswap-tests'),
})
// Reading the extra certificates costs each child 50 ms at its start, and the tests reach loopback only
delete process.env.NODE_EXTRA_CA_CERTS
process.chdir(root)
const folder = await mkdtemp(join(tmpdir(), 'lswap-tests-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const runner = run({
  files: await testProcesses(chosen, { top: root, folder }),
  // Many wait for processes most of the time
  concurrency: availableParallelism() * 2,
  timeout: 300_000,
})
runner.on('test:fail', () => (process.exitCode = 1))
for await (const line of createInterface({ input: runner.compose(tap), crlfDelay: Infinity })) report.line(line)
const { failures, skips, faults, counts } = report.end()
if (engine.fault !== undefined) faults.push(engine.fault)
if (counts.length === 0) faults.push('the test runner ended without its counts')

console.log(
  `\n${chosen.length} test files, ${skips.length} tests skipped, LSWAP_PROP_SEED=${seed} on Node ${process.version}`,
)
for (const reason of new Set(skips.map((skip) => skip.reason))) {
  const names = skips.filter((skip) => skip.reason === reason).map((skip) => skip.name)
  console.log(`  ${reason}: ${names.join('; ')}`)
}
for (const { name, details } of failures) {
  console.log(`FAILED ${name}`)
  for (const line of details) console.log(`  ${line}`)
}
for (const fault of faults) console.log(`FAULT ${fault}`)
for (const line of counts) console.log(line)
if (faults.length > 0 || failures.length > 0) process.exitCode = 1

function refuse(why) {
  console.error(`test: ${why}`)
  process.exit(2)
}
