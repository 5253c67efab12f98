// Runs the soak test again and again, five seeds a round. `scripts/soak` builds first and then comes here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { execa } from 'execa'
import { root } from './lib/root.mjs'

const test = join(root, 'packages/cli/dist/test/soak/soak.test.js')
const SEEDS_A_ROUND = 5
const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    operations: { type: 'string', default: '200' },
    show: { type: 'boolean', default: false },
  },
})
if (!existsSync(test)) throw new Error(`not built (run scripts/setup): ${test}`)

const isOne = values.seed !== undefined && values.rounds === undefined
const first = Number(values.seed ?? Date.now() % 1_000_000_000)
const rounds = isOne ? 1 : Number(values.rounds ?? 50)
const seeds = isOne ? 1 : SEEDS_A_ROUND
const began = Date.now()
const failed = []
for (let round = 0; round < rounds; round += 1) {
  const seed = first + round * seeds
  const env = {
    LSWAP_PROP_SEED: String(seed),
    LSWAP_SOAK_SEEDS: String(seeds),
    LSWAP_SOAK_OPERATIONS: values.operations,
    ...(values.show ? { LSWAP_SOAK_SHOW: '1' } : {}),
  }
  const { all: output, failed: isBroken } = await execa(process.execPath, [test], {
    env,
    all: true,
    reject: false,
    stdin: 'ignore',
  })
  if (isBroken || values.show) console.log(output)
  if (isBroken) failed.push(seed)
  console.log(`${isBroken ? 'FAILED' : 'good'}: seeds ${seed} to ${seed + seeds - 1}, ${minutes()} min`)
}
const all = rounds * seeds
console.log(
  failed.length === 0
    ? `${all} seeds of ${values.operations} operations: all good, ${minutes()} min on Node ${process.version}`
    : `${all} seeds, and some failed in the rounds from ${failed.join(', ')}: repeat one by scripts/soak --seed`,
)
process.exitCode = failed.length === 0 ? 0 : 1

function minutes() {
  return ((Date.now() - began) / 60_000).toFixed(1)
}
