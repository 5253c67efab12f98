import { openSync, writeSync } from 'node:fs'
import {
  ANONYMOUS,
  createScheduler,
  LOCAL_HOST,
  readConfigFiles,
  schedulerOptions,
} from '../../packages/core/dist/src/index.js'
import { createLogger } from '../../packages/cli/dist/src/commands/serve/logger.js'
import { systemClock } from '../../packages/cli/dist/src/router/clock.js'
import { logEnd } from '../../packages/cli/dist/src/router/end-line.js'
import { createNotices } from '../../packages/cli/dist/src/router/feed/notices.js'
import { createRouterFeed } from '../../packages/cli/dist/src/router/feed/router-feed.js'
import { createRunLoop } from '../../packages/cli/dist/src/router/loop.js'
import { orderLimits } from '../../packages/cli/dist/src/router/loop/order-limits.js'
import { createMetrics } from '../../packages/cli/dist/src/router/metrics.js'
import { Meter } from '../../packages/cli/dist/src/router/usage/metered.js'

const MODEL = 'm1'
const AT_ONCE = 64
const ANSWER = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(160) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 160, total_tokens: 172 },
  }),
)
const HEAD = { status: 200, headers: ['Content-Type', 'application/json', 'Content-Length', String(ANSWER.length)] }
const ROUTE = { type: 'inference', modelIn: 'json', takesSlot: true, cut: 0 }

const agent = {
  host: LOCAL_HOST,
  subscribe: () => () => {},
  processes: async () => [{ model: MODEL, phase: 'ready', epoch: 1, slots: 4096 }],
}

const identity = () => ({ version: '0', startedAt: 0, isClosing: false })

/** Everything that a router has besides HTTP, with one model that is loaded. */
async function start({ observed }) {
  const text = JSON.stringify({ models: { [MODEL]: { cmd: 'engine ${PORT}', concurrencyLimit: 4096 } } })
  const reading = readConfigFiles([{ file: 'bench.yaml', text }], { env: {}, platform: 'linux' })
  if (!reading.ok) throw new Error(JSON.stringify(reading.issues))
  const { config } = reading
  const clock = systemClock()
  const fd = openSync('/dev/null', 'w')
  const stderr = {
    write: (lines, told) => {
      writeSync(fd, lines)
      told?.()
    },
  }
  const { log: out } = await createLogger({
    io: { stderr, env: {} },
    format: 'json',
    color: 'never',
    config,
    redact: (line) => line,
  })
  const notices = createNotices(out, clock)
  const { log } = notices
  const scheduler = createScheduler(schedulerOptions(config))
  const agents = new Map()
  const models = () => config.models
  const feed = createRouterFeed({ agents, clock, log, notices, loop: () => loop, models, router: identity })
  const loop = createRunLoop({
    scheduler,
    agents: new Map([[LOCAL_HOST, agent]]),
    orderLimits: orderLimits(models),
    clock,
    log,
    ...(observed ? { observer: feed.observer } : {}),
  })
  const held = { memory: { taken: () => 0 }, disk: { taken: () => 0 }, openRequests: () => 0 }
  const metrics = createMetrics({ loop, processes: async () => new Map(), held })
  await loop.start()
  return { clock, log, feed, loop, metrics, scheduler }
}

const factsOf = () => ({
  route: 'inference',
  caller: ANONYMOUS,
  model: MODEL,
  priority: 0,
  host: LOCAL_HOST,
  waitMs: 0.21,
})

/** Grants and ends one request, with 63 others being served. */
function serving({ loop }, ended = () => {}) {
  const running = []
  const submit = () => {
    const id = loop.nextRequestId()
    const request = {
      id,
      model: MODEL,
      priority: 0,
      criticality: 'standard',
      noLoad: false,
      caller: ANONYMOUS,
      takesSlot: true,
    }
    loop.submit(request, {
      granted: () => void running.push(id),
      rejected: (failure) => {
        throw new Error(failure.message)
      },
    })
  }
  for (let count = 1; count < AT_ONCE; count += 1) submit()
  return () => {
    submit()
    const id = running.shift()
    loop.answered(id)
    loop.served(id, 'done')
    ended(id)
  }
}

/** An answer of 1 KB in one piece goes by, and what it tells is read. */
const answering = (clock, facts) => {
  const meter = new Meter({ call: { startedAt: clock.now(), facts }, route: ROUTE, clock })
  meter.begin(HEAD)
  meter.add(ANSWER)
}

export const partsOf = () => ({
  'scheduler alone': async () => {
    const { scheduler } = await start({ observed: false })
    return bare(scheduler)
  },
  'loop and scheduler': async () => serving(await start({ observed: false })),
  '… told to the feed': async () => serving(await start({ observed: true })),
  metrics: async () => {
    const { metrics } = await start({ observed: false })
    return () => metrics.count({ facts: factsOf(), status: 200, durationMs: 1.2 })
  },
  'log line': async () => {
    const { log } = await start({ observed: false })
    let id = 1
    return () => logEnd(log, { id: (id += 1), method: 'POST', facts: factsOf() }, { status: 200, durationMs: 1.2 })
  },
  'rates of the feed': async () => {
    const { feed } = await start({ observed: false })
    return () => feed.countRequest(factsOf())
  },
  tokens: async () => {
    const { clock } = await start({ observed: false })
    return () => {
      const facts = factsOf()
      answering(clock, facts)
      return facts.tokens()
    }
  },
  'all of them': async () => {
    const router = await start({ observed: true })
    const { clock, feed, log, metrics } = router
    return serving(router, (id) => {
      const facts = factsOf()
      answering(clock, facts)
      const ending = { status: 200, durationMs: 1.2 }
      metrics.count({ facts, ...ending })
      feed.countRequest(facts)
      logEnd(log, { id, method: 'POST', facts }, ending)
    })
  },
})

/** The two events and the questions for the next tick, without a loop. */
function bare(scheduler) {
  let now = 1_000
  let last = 0
  scheduler.onFleetChange({
    type: 'fleet-changed',
    now,
    observation: { type: 'host-appeared', host: LOCAL_HOST, ready: [{ model: MODEL, epoch: 1, slots: 4096 }] },
  })
  const arrive = () => {
    last += 1
    now += 0.1
    const request = {
      id: last,
      model: MODEL,
      priority: 0,
      criticality: 'standard',
      noLoad: false,
      caller: ANONYMOUS,
      takesSlot: true,
    }
    const [command] = scheduler.onRequest({ type: 'request-received', now, request })
    if (command?.type !== 'grant') throw new Error(`no grant but ${command?.type}`)
    scheduler.nextTick()
  }
  for (let count = 1; count < AT_ONCE; count += 1) arrive()
  return () => {
    arrive()
    scheduler.onServeDone({ type: 'serve-done', now, request: last - AT_ONCE + 1, outcome: 'done' })
    scheduler.nextTick()
  }
}
