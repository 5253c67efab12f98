import t from 'tap'
import {
  createScheduler,
  DEFAULT_FIFO,
  DEFAULT_SERIAL,
  fleetOf,
  group,
  modelId,
  optionsFor,
  readTrace,
  simulateWith,
} from '@lswap/core'
import type {
  CallerId,
  Command,
  ModelId,
  RequestId,
  Scheduler,
  SchedulerOptions,
  SimulatedHost,
  Trace,
} from '@lswap/core'
import { orderLimits } from '../../src/router/loop/order-limits.ts'
import { createRunLoop } from '../../src/router/loop.ts'
import { recordingLog } from './support/log.ts'
import { createSimulatedAgent } from './support/simulated-agent.ts'
import { createVirtualClock, type VirtualClock } from './support/virtual-clock.ts'

interface Decision {
  readonly now: number
  readonly command: Command
}

/** The scheduler, and all that it decides from now on. */
const recorded = (options: SchedulerOptions): { scheduler: Scheduler; decisions: Decision[] } => {
  const decisions: Decision[] = []
  const real = createScheduler(options)
  const noted = ({ now }: { readonly now: number }, commands: Command[]): Command[] => {
    for (const command of commands) decisions.push({ now, command })
    return commands
  }
  const scheduler: Scheduler = {
    ...real,
    onRequest: (event) => noted(event, real.onRequest(event)),
    onSwapDone: (event) => noted(event, real.onSwapDone(event)),
    onServeDone: (event) => noted(event, real.onServeDone(event)),
    onStopDone: (event) => noted(event, real.onStopDone(event)),
    onFleetChange: (event) => noted(event, real.onFleetChange(event)),
    onTick: (event) => noted(event, real.onTick(event)),
  }
  return { scheduler, decisions }
}

interface Scene {
  readonly trace: Trace
  readonly host: SimulatedHost
  readonly options: SchedulerOptions
}

/** The real loop in front of a simulated agent, with clients that ask when the trace says so. */
const live = async ({ trace, host, options }: Scene, untilMs: number): Promise<readonly Decision[]> => {
  const clock: VirtualClock = createVirtualClock(0)
  const { scheduler, decisions } = recorded(options)
  const log = recordingLog()
  /** Ends of what is being served, by model. */
  const running = new Map<ModelId, Set<() => void>>()
  const agent = createSimulatedAgent({
    host: host.id,
    clock,
    times: host.engine,
    onStop: (model) => running.get(model)?.forEach((end) => end()),
  })
  const loop = createRunLoop({
    scheduler,
    agents: new Map([[host.id, agent]]),
    orderLimits: orderLimits(() => []),
    clock,
    log,
  })

  const serve = (request: RequestId, model: ModelId, ms: number): void => {
    const served = running.get(model) ?? new Set()
    running.set(model, served)
    const end = (): void => {
      cancel()
      if (served.delete(end)) loop.served(request, 'done')
    }
    const cancel = clock.setTimer(clock.now() + ms, end)
    served.add(end)
  }
  const ask = (place: number): void => {
    const request = loop.nextRequestId()
    const model = trace.models[trace.model[place] ?? 0] as ModelId
    loop.submit(
      {
        id: request,
        model,
        priority: trace.priority[place] ?? 0,
        criticality: 'standard',
        caller: trace.callers[trace.caller[place] ?? 0] as CallerId,
        takesSlot: true,
        noLoad: false,
      },
      {
        granted: () => serve(request, model, (trace.tokens[place] ?? 0) * host.engine.msPerToken),
        rejected: () => {},
      },
    )
  }
  await loop.start()
  for (let place = 0; place < trace.length; place += 1) clock.setTimer(trace.at[place] ?? 0, () => ask(place))
  await clock.advance(untilMs)
  loop.stop()
  t.same(log.bugs(), [])
  return decisions
}

const TRACE = {
  kind: 'poisson',
  seed: 5,
  params: {
    models: 4,
    requests: 400,
    callers: 3,
    meanGapMs: 2_000,
    skew: 1.5,
    tokens: 120,
    urgentShare: 0.2,
    batchShare: 0.3,
  },
  fleet: { loadMs: 4_000.25, stopMs: 300.5, msPerToken: 20, slots: 2 },
}
const TOGETHER = { id: 'g', swap: false, exclusive: false, persistent: false, members: ['m1', 'm2'].map(modelId) }

interface Case {
  readonly name: string
  readonly change: (options: SchedulerOptions) => SchedulerOptions
  /** What must have happened for the case to be worth anything. */
  readonly sees: readonly Command['type'][]
}

const CASES: readonly Case[] = [
  { name: 'one model at a time', change: (options) => options, sees: ['grant', 'start-swap'] },
  {
    name: 'models side by side, with idle unload, limits and cuts',
    change: (options) => ({
      ...options,
      swapper: group([TOGETHER]),
      limits: { maxQueued: 40, queueTimeoutMs: 25_000, drainTimeoutMs: 1_500 },
      models: options.models.map((model) => Object.assign({}, model, { idleMs: 1_000, queueLimit: 12 })),
    }),
    sees: ['grant', 'start-swap', 'reject', 'stop'],
  },
  {
    name: 'hardly any patience: loads are given up',
    change: (options) => ({
      ...options,
      limits: { ...options.limits, queueTimeoutMs: 3_000 },
      models: options.models.map((model) => Object.assign({}, model, { idleMs: 100 })),
    }),
    sees: ['grant', 'start-swap', 'reject', 'abort-swap'],
  },
]

const SCENES = CASES.flatMap(({ name, change, sees }) =>
  [DEFAULT_FIFO, DEFAULT_SERIAL].map((policy) => ({ name: `${policy.use}, ${name}`, policy, change, sees })),
)

for (const { name, policy, change, sees } of SCENES) {
  t.test(`the simulator decides what the live loop decides: ${name}`, async (t) => {
    const trace = readTrace(JSON.stringify(TRACE))
    const fleet = fleetOf(TRACE.fleet)
    const [host] = fleet.hosts
    if (host === undefined) throw new Error('no host')
    const options = change(optionsFor(trace, fleet, { policy }))

    const simulated = recorded(options)
    const result = simulateWith(simulated.scheduler, trace, fleet)
    const decided = simulated.decisions
    const end = decided.at(-1)?.now ?? 0
    const lived = await live({ trace, host, options }, end)

    const kinds = new Set(decided.map(({ command }) => command.type))
    for (const kind of sees) t.ok(kinds.has(kind), `the trace leads to ${kind}`)
    t.ok(result.swaps > 20, `${result.swaps} swaps`)
    const first = decided.findIndex((decision, place) => !isSame(decision, lived[place]))
    t.same(lived[first], decided[first], `decision ${first} of ${decided.length}`)
    t.equal(lived.length, decided.length)
  })
}

function isSame(one: Decision, other: Decision | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
