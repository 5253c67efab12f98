// Runs the compiled tests with Node's own runner. `scripts/test` builds first and then comes here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { engineForTests } from './lib/engine-for-tests.mjs'
import { root } from './lib/root.mjs'
import { tapReport } from './lib/tap-report.mjs'
import { testFiles } from './lib/test-files.mjs'

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
const limits = ['--test-concurrency=2', '--test-timeout=180000']
const runner = execa(
  process.execPath,
  ['--test', '--test-reporter=tap', ...limits, ...chosen.map(({ runs }) => runs)],
  {
    cwd: root,
    // Reading the extra certificates costs each child 50 ms at its start, and the tests reach loopback only.
    env: { NODE_EXTRA_CA_CERTS: undefined, LSWAP_PROP_SEED: seed, ...engine.env },
    stdin: 'ignore',
    stderr: 'inherit',
    buffer: false,
    reject: false,
  },
)
for await (const line of createInterface({ input: runner.stdout, crlfDelay: Infinity })) report.line(line)
const { exitCode } = await runner
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
process.exitCode = faults.length > 0 ? 1 : (exitCode ?? 1)

function refuse(why) {
  console.error(`test: ${why}`)
  process.exit(2)
}
