// One loaded model with all slots taken, and many requests that wait for it and for 49 others. Every end of a request
// grants the next, every cancel takes one out of the middle, and every request that left the queue is asked for anew: so
// many wait all the time, of each model as many as at first.
import { createScheduler, exclusive, leastLoaded } from '../../packages/core/dist/src/index.js'
import { seededRandom } from '../../packages/core/dist/src/simulate/random.js'

const MODELS = 50
const SLOTS = 8
const WARM_UP = 5_000
const TURNS = 30_000
const UNLIMITED = Number.MAX_SAFE_INTEGER
const HOST = 'local'

const options = (policy) => ({
  policy,
  models: Array.from({ length: MODELS }, (_, place) => ({
    id: `m${place}`,
    hosts: [HOST],
    commandHash: '',
    queueLimit: UNLIMITED,
    priority: 0,
    pinned: false,
  })),
  limits: { maxQueued: UNLIMITED, queueTimeoutMs: UNLIMITED, drainTimeoutMs: 'never' },
  swapper: exclusive,
  picker: leastLoaded,
})

/**
 * Mean microseconds of CPU of one arrival, one dispatch and one cancel with so many waiting, after warming up: what is
 * put off and done once in a while counts too, and what else runs on the machine does not. A dispatch that swaps models
 * is counted apart, as it is followed by seconds of loading. `afterMs`: how long all have waited before it begins.
 */
export function measureScheduler({ policy, afterMs }, waiting) {
  const bench = prepare({ policy, afterMs }, waiting)
  const spent = {}
  const counts = {}
  const time = (act) => {
    const before = process.cpuUsage()
    const what = act()
    // As the loop does after each event
    bench.nextTick()
    const { user, system } = process.cpuUsage(before)
    spent[what] = (spent[what] ?? 0) + user + system
    counts[what] = (counts[what] ?? 0) + 1
  }
  const play = (turns) => {
    for (let turn = 0; turn < turns; turn += 1) {
      time(bench.dispatch)
      time(bench.cancel)
      while (bench.missing() > 0) time(bench.arrive)
    }
  }
  play(WARM_UP)
  for (const what of Object.keys(spent)) spent[what] = counts[what] = 0
  play(TURNS)
  return Object.fromEntries(Object.keys(spent).map((what) => [what, spent[what] / counts[what]]))
}

export function prepare({ policy, afterMs }, waiting) {
  const random = seededRandom(7)
  const scheduler = createScheduler(options(policy))
  const running = []
  const queued = []
  const places = new Map()
  const modelOf = new Map()
  const missing = []
  let now = 0
  let last = 0
  let swaps = 0

  const enqueue = (id) => {
    places.set(id, queued.length)
    queued.push(id)
  }
  /** In constant time, so that the bench measures the scheduler and not itself. */
  const dequeue = (id) => {
    const place = places.get(id)
    const moved = queued.pop()
    places.delete(id)
    missing.push(modelOf.get(id))
    modelOf.delete(id)
    if (moved === id) return
    queued[place] = moved
    places.set(moved, place)
  }
  const carryOut = (commands) => {
    for (const command of commands) {
      if (command.type === 'grant') {
        running.push(command.request)
        dequeue(command.request)
      } else if (command.type === 'start-swap') {
        swaps += 1
        const { generation, evict } = command.swap
        const evictions = evict.map((model) => ({ model, outcome: 'stopped' }))
        const result = { outcome: 'ready', epoch: generation, slots: SLOTS, evictions, timings: TIMINGS }
        carryOut(scheduler.onSwapDone({ type: 'swap-done', now, generation, result }))
      } else throw new Error(`unexpected command ${command.type}`)
    }
  }
  const ask = (model) => {
    last += 1
    now += 0.01
    const request = {
      id: last,
      model,
      priority: Math.floor(random() * 5) - 2,
      criticality: 'standard',
      caller: `c${Math.floor(random() * 20)}`,
      takesSlot: true,
      noLoad: false,
    }
    modelOf.set(last, model)
    enqueue(last)
    carryOut(scheduler.onRequest({ type: 'request-received', now, request }))
  }
  const observation = { type: 'host-appeared', host: HOST, ready: [] }
  carryOut(scheduler.onFleetChange({ type: 'fleet-changed', now, observation }))
  for (let place = 0; queued.length < waiting; place += 1) ask(`m${place % MODELS}`)
  missing.length = 0
  now += afterMs
  carryOut(scheduler.onTick({ type: 'ticked', now }))
  return {
    missing: () => missing.length,
    read: (limit) => scheduler.queue(now, limit),
    nextTick: () => scheduler.nextTick(),
    arrive: () => {
      ask(missing.pop())
      return 'arrival'
    },
    dispatch: () => {
      now += 0.01
      const request = running.shift()
      if (request === undefined) throw new Error('nothing runs that could end')
      const before = swaps
      carryOut(scheduler.onServeDone({ type: 'serve-done', now, request, outcome: 'done' }))
      return swaps === before ? 'dispatch' : 'dispatch and swap'
    },
    cancel: () => {
      now += 0.01
      const request = queued[Math.floor(random() * queued.length)]
      dequeue(request)
      carryOut(scheduler.onCancel({ type: 'request-cancelled', now, request }))
      return 'cancel'
    },
  }
}

const TIMINGS = { stopMs: 100, memoryMs: 0, loadMs: 5_000 }
