import t from 'tap'
import { ANONYMOUS, createScheduler, LOCAL_HOST, modelId, schedulerOptions } from '@lswap/core'
import type { Failure, Generation, ModelId, Swap, SwapResult } from '@lswap/core'
import { seededRandom } from '@lswap/core/test-support'
import { orderLimits } from '../../src/router/loop/order-limits.ts'
import { createRunLoop } from '../../src/router/loop.ts'
import { config, model } from './support/config.ts'
import { createFakeAgent } from './support/fake-agent.ts'
import { recordingLog } from './support/log.ts'
import { createVirtualClock } from './support/virtual-clock.ts'

const HOUR_MS = 3_600_000
const MODELS = ['a', 'b', 'c', 'd']

interface Ending {
  grants: number
  ends: number
  isGone: boolean
}

/** A day of a router in seconds: requests, clients that leave, retries, crashes, failed loads, unloads. */
const live = async (seed: number) => {
  const random = seededRandom(seed)
  const clock = createVirtualClock()
  const log = recordingLog()
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimer(clock.now() + ms, resolve))
  const together: number[] = []
  const starting = new Map<Generation, ModelId>()

  const load = async (order: Swap): Promise<SwapResult | undefined> => {
    starting.set(order.generation, order.model)
    const beside = [...starting.values(), ...agent.running.keys()].filter((other) => !order.evict.includes(other))
    together.push(beside.length)
    await wait(200 + random() * 5_000)
    starting.delete(order.generation)
    const isAborted = agent.aborts.includes(order.generation)
    const rest = { evictions: [], timings: { stopMs: 0, memoryMs: 0, loadMs: 0 } }
    if (isAborted) return { outcome: 'aborted', ...rest }
    const failure: Failure = { code: 'start_failed', message: 'It did not start.' }
    return random() < 0.05 ? { outcome: 'failed', failure, ...rest } : undefined
  }
  const agent = createFakeAgent({
    host: LOCAL_HOST,
    load,
    stop: async () => {
      await wait(random() * 400)
      return undefined
    },
  })
  const settings = config(
    MODELS.map((id) => model(id, { concurrencyLimit: 3, idleMs: 120_000 })),
    { limits: { maxQueued: 2_048, queueTimeoutMs: 900_000, drainTimeoutMs: 60_000 } },
  )
  const scheduler = createScheduler(schedulerOptions(settings))
  const loop = createRunLoop({
    scheduler,
    agents: new Map([[LOCAL_HOST, agent]]),
    orderLimits: orderLimits(() => []),
    clock,
    log,
  })
  void loop.start()
  await clock.advance(0)

  const endings: Ending[] = []
  const arrive = (): void => {
    const ending: Ending = { grants: 0, ends: 0, isGone: false }
    endings.push(ending)
    const id = loop.nextRequestId()
    const mayRetry = random() < 0.1
    loop.submit(
      {
        id,
        model: modelId(MODELS[Math.floor(random() ** 2 * MODELS.length)] ?? 'a'),
        priority: Math.floor(random() * 3) - 1,
        criticality: 'standard',
        caller: ANONYMOUS,
        takesSlot: true,
        noLoad: random() < 0.05,
      },
      {
        granted: () => {
          ending.grants += 1
          if (mayRetry && ending.grants === 1) return loop.served(id, 'retry')
          const end = (): void => {
            ending.ends += 1
            loop.served(id, 'done')
          }
          clock.setTimer(clock.now() + random() * 3_000, end)
          return undefined
        },
        rejected: () => {
          ending.ends += 1
        },
      },
    )
    if (random() < 0.1) {
      clock.setTimer(clock.now() + random() * 4_000, () => {
        if (ending.ends > 0 || ending.grants > 0) return
        ending.isGone = true
        loop.cancel(id)
      })
    }
  }
  for (let at = 0; at < HOUR_MS; at += 2_000 + random() * 8_000) {
    clock.setTimer(clock.now() + at, arrive)
    if (random() < 0.01)
      clock.setTimer(clock.now() + at, () => void loop.unload('all', { drainMs: 1_000, force: false }))
    if (random() < 0.01) {
      clock.setTimer(clock.now() + at, () => {
        const [running] = agent.running.keys()
        if (running !== undefined) agent.crash(running)
      })
    }
  }
  await clock.advance(HOUR_MS)
  // Longer than every limit on waiting, and than idle unload
  await clock.advance(HOUR_MS)
  return { endings, agent, log, loop, clock, together }
}

for (const seed of [1, 2, 3]) {
  t.test(`an hour on a virtual clock, seed ${seed}: every request ends once, one model at a time`, async (t) => {
    const { endings, agent, log, loop, clock, together } = await live(seed)
    t.ok(endings.length > 300, `${endings.length} requests`)
    t.ok(agent.swaps.length > 20, `${agent.swaps.length} swaps`)
    t.equal(endings.filter(({ ends, isGone }) => ends !== (isGone ? 0 : 1)).length, 0)
    t.equal(endings.filter(({ grants }) => grants > 2).length, 0)
    t.equal(Math.max(...together), 1)
    t.same(log.bugs(), [])
    t.equal(agent.running.size, 0, 'idle unload took the last one')
    const counts = [...loop.view().models.values()].flatMap(({ waiting, placements }) =>
      [waiting].concat(placements.map(({ inFlight, holding }) => inFlight + holding)),
    )
    t.same([...new Set(counts)], [0], 'no count leaked')
    loop.stop()
    t.equal(clock.pending(), 0)
  })
}
