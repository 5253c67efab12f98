import { matrix, parseSets } from '../../packages/core/dist/src/index.js'
import { seededRandom } from '../../packages/core/dist/src/simulate/random.js'

const PLANS = 20_000
const ROUNDS = 5
const RUNNING = 6

/** Microseconds of one plan: the mean of the best round, and the worst of all plans in it. */
export function measureMatrix({ models, sets }) {
  const random = seededRandom(11)
  const draw = () => `m${Math.floor(random() * models)}`
  const sources = new Map(
    Array.from({ length: sets }, (_, place) => {
      // Nested, and each tenth set includes an earlier one
      const include = place % 10 === 9 ? ` & +s${Math.floor(random() * place)}` : ''
      return [`s${place}`, `(${draw()} | ${draw()} | ${draw()}) & (${draw()} | ${draw()} & ${draw()})${include}`]
    }),
  )
  const reading = parseSets({ sets: sources, model: (name) => name })
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors))
  const swapper = matrix({ sets: reading.sets, evictCosts: new Map([['m1', 5]]) })
  const questions = Array.from({ length: 512 }, () => question(draw(), draw))
  let best = { meanUs: Infinity, worstUs: Infinity }
  for (let round = 0; round < ROUNDS; round += 1) {
    let worst = 0
    const began = performance.now()
    for (let place = 0; place < PLANS; place += 1) {
      const before = performance.now()
      swapper.plan(questions[place % questions.length])
      worst = Math.max(worst, performance.now() - before)
    }
    const meanUs = ((performance.now() - began) * 1_000) / PLANS
    if (meanUs < best.meanUs) best = { meanUs, worstUs: worst * 1_000 }
  }
  return best
}

function question(target, draw) {
  const running = new Set()
  while (running.size < RUNNING) running.add(draw())
  running.delete(target)
  const residents = [...running].map((model) => ({
    model,
    pinned: false,
    inFlight: 0,
    idleSince: 0,
    loading: false,
    reloadMs: 8_000,
    drainMs: 0,
  }))
  return { now: 1_000, target, host: 'local', residents }
}
