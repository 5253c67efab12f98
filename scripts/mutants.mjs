// Breaks one rule at a time in a scratch copy and sees that the test which names it fails. `scripts/mutants` runs this.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { makeBench } from './lib/mutants/bench.mjs'
import { readMutants } from './lib/mutants/read.mjs'
import { sortMutants } from './lib/mutants/sort.mjs'
import { changeSince, filterMutants, splitByChange } from './lib/mutants/select.mjs'
import { invalid } from './lib/mutants/verdict.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'string' },
    budget: { type: 'string' },
    // The most that those which changed may take
    limit: { type: 'string' },
    // The tests pass on the sources as they are: somebody else sees to that
    tested: { type: 'boolean' },
    sort: { type: 'boolean' },
  },
})
if (values.sort === true) {
  for (const path of await sortMutants()) console.log(path)
  process.exit()
}
const started = Date.now()
const budgetMs = values.budget === undefined ? Infinity : Number(values.budget) * 1000
const { must, may } = await choose()
const workers = Math.min(availableParallelism(), 4, must.length + may.length)
const benches = await Promise.all(Array.from({ length: workers }, makeBench))
const unbroken = new Map()
const mustMs = values.limit === undefined ? Infinity : Number(values.limit) * 1000
const judged = [...(await judgeAll(must, mustMs)), ...(await judgeAll(may, budgetMs))]

const killed = judged.filter((outcome) => outcome === 'killed').length
const leftOut = must.length + may.length - judged.length
console.log(
  `mutants: ${killed} of ${judged.length} killed in ${((Date.now() - started) / 1000).toFixed(1)} s` +
    (leftOut > 0 ? `; ${leftOut} not run, as the time for them was used up` : ''),
)
process.exitCode = killed === judged.length ? 0 : 1

/** `must` run before the others, as far as the limit goes; `may` as long as the budget lasts. */
async function choose() {
  const wanted = filterMutants(await readMutants(), positionals)
  if (values.changed === undefined) return { must: [], may: wanted }
  const change = await changeSince(values.changed)
  if (change === undefined) {
    console.error(`mutants: git knows no commit '${values.changed}'`)
    process.exit(2)
  }
  const { changed, others } = splitByChange(wanted, change)
  return { must: changed, may: values.budget === undefined ? [] : others }
}

/** Each bench takes the next mutant as soon as it is free. */
async function judgeAll(mutants, limitMs) {
  const queue = mutants.values()
  const outcomes = []
  const work = async (bench) => {
    while (Date.now() - started < limitMs) {
      const { value: mutant, done } = queue.next()
      if (done) return
      const begun = Date.now()
      const { outcome, detail } = await judge(bench, mutant)
      outcomes.push(outcome)
      const took = `${((Date.now() - begun) / 1000).toFixed(1)} s`.padStart(7)
      const about = [
        `${mutant.file}: ${shorten(mutant.find)} -> ${shorten(mutant.replace)}`,
        mutant.name ?? mutant.test,
      ]
      console.log([outcome.padEnd(8), took, ...about, detail].filter((cell) => cell !== '').join('  '))
    }
  }
  await Promise.all(benches.map((bench) => work(bench)))
  return outcomes
}

/** A test that fails anyway proves nothing about a mutant. */
async function judge(bench, mutant) {
  if (values.tested === true) return bench.judge(mutant)
  if (!unbroken.has(mutant.test)) unbroken.set(mutant.test, bench.runUnbroken(mutant.test))
  const { exitCode, failing } = await unbroken.get(mutant.test)
  if (exitCode !== 0) return invalid(`${mutant.test} fails on the unbroken sources: ${failing.join('; ')}`)
  return bench.judge(mutant)
}

function shorten(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 40 ? `${line.slice(0, 39)}…` : line || '(nothing)'
}
