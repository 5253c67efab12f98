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
  type FleetSettings,
  type ModelPolicy,
  type OptionsParts,
  type Scheduler,
  type SchedulerLimits,
  type SimulationResult,
  type TraceRow,
} from '../../src/index.ts'

type Row = Partial<TraceRow> & Pick<TraceRow, 'at' | 'model'>

/** A load takes 1,000 ms, a stop 100, a token 10, with one slot, where a test does not say otherwise. */
const FLEET: FleetSettings = { loadMs: 1_000, stopMs: 100, msPerToken: 10, slots: 1 }

interface Setting extends Partial<OptionsParts> {
  readonly fleet?: FleetSettings
  readonly limits?: Partial<SchedulerLimits>
  readonly perModel?: Partial<ModelPolicy>
}

const setUp = (rows: readonly Row[], setting: Setting = {}) => {
  const text = [{ kind: 'recorded' }, ...rows].map((line) => JSON.stringify(line)).join('\n')
  const trace = readTrace(text)
  const fleet = fleetOf({ ...FLEET, ...setting.fleet })
  const { policy = DEFAULT_FIFO, swapper, perModel = {} } = setting
  const made = optionsFor(trace, fleet, { policy, ...(swapper === undefined ? {} : { swapper }) })
  const limits = { ...made.limits, ...setting.limits }
  const options = { ...made, limits, models: made.models.map((model) => Object.assign({}, model, perModel)) }
  return { trace, fleet, options }
}

const play = (rows: readonly Row[], setting?: Setting): SimulationResult => {
  const { trace, fleet, options } = setUp(rows, setting)
  return simulate(trace, fleet, options)
}

const normal = (result: SimulationResult) => result.waits.normal

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

t.test('the drain limit cuts what runs: it counts as served, and as cut', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 1_000 },
      { at: 2_000, model: 'b', tokens: 10 },
    ],
    { limits: { drainTimeoutMs: 3_000 } },
  )
  t.equal(result.cut, 1)
  t.equal(result.served, 2)
  // Cut at 5000, stopped by 5100, loaded by 6100
  t.equal(normal(result).maxMs, 4_100)
  t.equal(result.makespanMs, 6_200)
})

t.test('a request that waits too long is refused, and no wait is counted for it', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 1_000 },
      { at: 100, model: 'a', tokens: 10 },
    ],
    { limits: { queueTimeoutMs: 4_000 } },
  )
  t.same(result.rejections, { wait_exceeded: 1 })
  t.equal(result.served, 1)
  t.equal(normal(result).count, 1)
})

t.test('a full queue refuses', async (t) => {
  const rows = [0, 1, 2].map((at): Row => ({ at, model: 'a' }))
  t.same(play(rows, { perModel: { queueLimit: 2 } }).rejections, { queue_full: 1 })
})

t.test('idle unload stops the model, and the next request loads it again', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 10 },
      { at: 9_000, model: 'a', tokens: 10 },
    ],
    { perModel: { idleMs: 2_000 } },
  )
  t.equal(result.swaps, 2)
  t.equal(normal(result).maxMs, 1_000)
  // From 1100 to the stop at 3100, and from its end at 3200 to 9000
  t.equal(result.idleMs, 2_000 + 5_800)
})

t.test('a request that comes while its model is stopped for idleness waits for the stop and the load', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 10 },
      { at: 3_150, model: 'a', tokens: 10 },
    ],
    { perModel: { idleMs: 2_000 } },
  )
  t.equal(normal(result).maxMs, 1_050)
})

t.test('a load that nobody waits for any more and whose room is wanted is given up: a wasted load', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 10 },
      { at: 800, model: 'b', tokens: 10 },
    ],
    { limits: { queueTimeoutMs: 900 } },
  )
  // a's only waiter is refused at 900; its load is aborted, b is loaded from 1000 on and its waiter refused at 1700
  t.same(result.rejections, { wait_exceeded: 2 })
  t.equal(result.wastedLoads, 2)
  t.equal(result.served, 0)
  t.equal(result.swaps, 2)
})

const longRow = (caller: string, at: number): Row => ({ at, model: 'a', tokens: 100, caller })

t.test('fairness between callers: alike at first, less so when one waits all the time', async (t) => {
  // Both are served for 1000 of 2000 ms
  t.equal(play([longRow('x', 0), longRow('y', 1_000)]).jainFairness, 1)
  // x: 1000 of 2000 ms in service, y: 1000 of 3000
  const one = 1 / 2
  const other = 1 / 3
  const expected = (one + other) ** 2 / (2 * (one ** 2 + other ** 2))
  const { jainFairness } = play([longRow('x', 0), longRow('y', 0)])
  t.ok(Math.abs(jainFairness - expected) < 1e-12, `${jainFairness}`)
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
