import t from 'tap'
import {
  createScheduler,
  DEFAULT_FIFO,
  fleetOf,
  group,
  modelId,
  optionsFor,
  readTrace,
  simulate,
  simulateWith,
  withoutPriorities,
  type Command,
  type Scheduler,
  type SimulationResult,
} from '../../src/index.ts'
import { normal, play, setUp, type Row } from './support.ts'

t.test('one cold request waits for its load, is served, and nothing is idle', async (t) => {
  const result = play([{ at: 500, model: 'a', tokens: 20 }])
  t.equal(normal(result).maxMs, 1_000)
  t.equal(result.makespanMs, 1_200)
  t.equal(result.idleMs, 0)
  t.match(result, { requests: 1, served: 1, swaps: 1, wastedLoads: 0, cut: 0, rejections: {} })
  t.same(result.models, [{ model: 'a', served: 1, loads: 1, wastedLoads: 0 }])
})

t.test('a request for a warm model waits for nothing; the time between is idle', async (t) => {
  const result = play([
    { at: 0, model: 'a', tokens: 20 },
    { at: 2_000, model: 'a', tokens: 30 },
  ])
  t.equal(normal(result).p50Ms, 0)
  t.equal(result.makespanMs, 2_300)
  t.equal(result.idleMs, 800)
  t.equal(result.swaps, 1)
})

t.test('slots serve side by side, and the next waits for the first to end', async (t) => {
  const rows = [10, 20, 30].map((tokens): Row => ({ at: 0, model: 'a', tokens }))
  const result = play(rows, { fleet: { slots: 2 } })
  // Two at 1000, the third when the shorter of them ends at 1100
  t.equal(normal(result).p50Ms, 1_000)
  t.equal(normal(result).maxMs, 1_100)
  t.equal(result.makespanMs, 1_400)
})

t.test('a swap drains, stops and loads', async (t) => {
  const result = play([
    { at: 0, model: 'a', tokens: 50 },
    { at: 1_100, model: 'b', tokens: 10 },
  ])
  // a is served from 1000 to 1500, stopped by 1600; b is loaded by 2600
  t.equal(normal(result).maxMs, 1_500)
  t.equal(result.makespanMs, 2_700)
  t.equal(result.swaps, 2)
  t.equal(result.idleMs, 0)
})

t.test('A B A B at once is served A A B B', async (t) => {
  const rows = ['a', 'b', 'a', 'b'].map((model, at): Row => ({ at, model, tokens: 10 }))
  t.equal(play(rows, { fleet: { slots: 2 } }).swaps, 2)
})

t.test('models that may run together do, and load at the same time', async (t) => {
  const together = { id: 'g', swap: false, exclusive: true, persistent: false, members: ['a', 'b'].map(modelId) }
  const rows: Row[] = [
    { at: 0, model: 'a', tokens: 10 },
    { at: 0, model: 'b', tokens: 10 },
  ]
  const result = play(rows, { swapper: group([together]) })
  t.equal(result.makespanMs, 1_010 + 90)
  t.equal(normal(result).maxMs, 1_000)
  t.equal(result.swaps, 2)
})

t.test('a model of its own times', async (t) => {
  const fleet = { models: { big: { loadMs: 5_000 }, quick: { msPerToken: 1 } } }
  t.equal(normal(play([{ at: 0, model: 'big' }], { fleet })).maxMs, 5_000)
  t.equal(play([{ at: 0, model: 'quick', tokens: 100 }], { fleet }).makespanMs, 1_100)
})

t.test('bands are counted apart; without priorities by what they were', async (t) => {
  const rows: Row[] = [
    { at: 0, model: 'a', tokens: 10 },
    { at: 10, model: 'a', tokens: 10, priority: -1 },
    { at: 20, model: 'a', tokens: 10, priority: 5 },
  ]
  const { trace, fleet, options } = setUp(rows)
  const { waits } = simulate(trace, fleet, options)
  // a is ready at 1000: the first of the load's waiters was leased its slot, then the urgent one, then batch
  t.same([waits.normal.maxMs, waits.urgent.maxMs, waits.batch.maxMs], [1_000, 1_080, 1_190])
  const flat = simulate(withoutPriorities(trace), fleet, options).waits
  t.same([flat.normal.maxMs, flat.batch.maxMs, flat.urgent.maxMs], [1_000, 1_090, 1_180])
})

t.test('the same trace gives the same result, down to every number', async (t) => {
  const params = { models: 4, requests: 500, callers: 3, meanGapMs: 900, skew: 1.5, tokens: 40 }
  const head = { kind: 'poisson', seed: 3, params: { ...params, urgentShare: 0.2, batchShare: 0.2 } }
  const run = (): SimulationResult => {
    const trace = readTrace(JSON.stringify(head))
    const fleet = fleetOf({ loadMs: 3_000 })
    return simulate(trace, fleet, optionsFor(trace, fleet, { policy: DEFAULT_FIFO }))
  }
  const result = run()
  t.same(run(), result)
  t.equal(result.served, 500)
  t.equal(
    result.models.reduce((sum, { served }) => sum + served, 0),
    500,
  )
  t.ok(result.swaps > 20, `${result.swaps} swaps`)
})

t.test('an empty trace', async (t) => {
  const trace = readTrace('{"kind":"recorded"}\n{"at":0,"model":"a"}')
  const empty = { ...trace, length: 0, at: new Float64Array(0) }
  const fleet = fleetOf()
  const result = simulate(empty, fleet, optionsFor(empty, fleet, { policy: DEFAULT_FIFO }))
  t.match(result, { requests: 0, served: 0, swaps: 0, makespanMs: 0, idleMs: 0, jainFairness: 1 })
})

const twice = (commands: Command[]): Command[] => [...commands, ...commands]

t.test('a scheduler that breaks its word is found out', async (t) => {
  const { trace, fleet, options } = setUp([{ at: 0, model: 'a' }])
  const broken = (change: (real: Scheduler) => Partial<Scheduler>): (() => SimulationResult) => {
    const real = createScheduler(options)
    return () => simulateWith({ ...real, ...change(real) }, trace, fleet)
  }
  t.throws(
    broken(() => ({ onRequest: () => [], nextTick: () => undefined })),
    /forgot 1 requests/,
  )
  t.throws(
    broken((real) => ({ onSwapDone: (event) => twice(real.onSwapDone(event)) })),
    /granted a second time/,
  )
  t.throws(
    broken((real) => ({ onRequest: (event) => twice(real.onRequest(event)) })),
    /a second process of a/,
  )
})
