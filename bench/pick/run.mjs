// How long one decision takes. Usage: node bench/pick/run.mjs [ENDPOINTS] (32 when left out), after the build.
import { createPicker, MOST_BLOCKS } from '../../packages/core/dist/src/index.js'
import { HeldPrefixes } from '../../packages/core/dist/src/pick/prefix/held.js'
import { seededRandom } from '../../packages/core/dist/src/simulate/random.js'

const GOAL_US = 20
const WARM_UP = 20_000
const ROUNDS = 40
const PICKS_A_ROUND = 2_000

const count = Number(process.argv[2] ?? 32)
if (!Number.isInteger(count) || count < 1) {
  console.error('usage: node bench/pick/run.mjs [ENDPOINTS]')
  process.exit(2)
}

const random = seededRandom(42)
const adapters = ['a', 'b', 'c', 'd']
const NOW = 10_000
const criticalities = ['critical', 'standard', 'sheddable']

// Different pools and requests in turn, so that the figures are not those of one branch learned by heart.
// Conversations behind one system prompt of thirty blocks, which every other replica was given some of.
const chains = Array.from({ length: 97 }, conversation)
const held = Array.from({ length: count }, holding)
const pools = Array.from({ length: 64 }, () => Array.from({ length: count }, endpoint))
const requests = Array.from({ length: 61 }, () => ({
  model: 'm',
  criticality: criticalities[Math.floor(random() * 3)],
  adapter: adapters[Math.floor(random() * 4)],
  prefix: chains[Math.floor(random() * chains.length)],
}))

console.log(
  `node ${process.version}, ${count} endpoints, ${ROUNDS} rounds of ${PICKS_A_ROUND} decisions, µs a decision`,
)
const settled = [
  { use: 'tree', profile: 'llama' },
  { use: 'tree', profile: 'seed' },
  { use: 'least-loaded' },
  { use: 'prefix', profile: 'llama' },
  { use: 'prefix', profile: 'seed' },
]
for (const settings of settled) {
  const rounds = measure(createPicker(settings, { random }))
  const at = (share) => rounds[Math.floor(share * (rounds.length - 1))].toFixed(2).padStart(6)
  const verdict = rounds.at(-1) <= GOAL_US ? 'within' : 'OVER'
  const name = `${settings.use} ${settings.profile ?? ''}`.padEnd(13)
  console.log(`${name} median ${at(0.5)}  p95 ${at(0.95)}  worst ${at(1)}  ${verdict} the goal of ${GOAL_US} µs`)
}

/** Microseconds a decision in each round, sorted. */
function measure(picker) {
  for (let turn = 0; turn < WARM_UP; turn += 1) pickOnce(picker, turn)
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now()
    for (let turn = 0; turn < PICKS_A_ROUND; turn += 1) pickOnce(picker, turn)
    rounds.push(((performance.now() - start) * 1000) / PICKS_A_ROUND)
  }
  return rounds.toSorted((one, other) => one - other)
}

function pickOnce(picker, turn) {
  return picker.pick(requests[turn % requests.length], pools[turn % pools.length], NOW)
}

function endpoint(_, place) {
  const slots = 1 + Math.floor(random() * 8)
  const active = Math.floor(random() * 3)
  return {
    placement: { model: 'm', host: `h${place}` },
    slots,
    inFlight: Math.floor(random() * slots),
    waiting: Math.floor(random() * 4),
    dispatchedSince: 0,
    kv: random(),
    activeAdapters: adapters.slice(active, active + 2),
    maxAdapters: 3,
    ...(place % 2 === 0 ? {} : { prefixes: held[place] }),
    // One in ten has an old sample, one in ten none.
    ...sample(random()),
  }
}

function conversation(_, name) {
  const blocks = Array.from({ length: MOST_BLOCKS }).keys()
  return [...blocks].map((block) => (block < 30 ? block : name * 1_000 + block))
}

function holding() {
  const prefixes = new HeldPrefixes()
  for (let given = 0; given < 80; given += 1) prefixes.note(chains[Math.floor(random() * chains.length)])
  return prefixes
}

function sample(roll) {
  if (roll < 0.1) return { sampledAt: undefined }
  return { sampledAt: roll < 0.2 ? 0 : NOW - 500 }
}
