import t from 'tap'
import { ANONYMOUS, epoch, generation, hostId, LOCAL_HOST, modelId, requestId, schedulerOptions } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Command, Failure, HostId, Placement, Request, RequestId, SchedulerEvent, SwapResult } from '@lswap/core'
import { createRunLoop, type Grant, type RunLoop } from '../../src/router/loop.ts'
import { config, model } from './support/config.ts'
import type { OrderLimits } from '../../src/router/loop/order-limits.ts'
import { createFakeAgent, type FakeAgent } from './support/fake-agent.ts'
import { recordingLog, type RecordingLog } from './support/log.ts'
import { scriptedScheduler, type ScriptedScheduler } from './support/scripted-scheduler.ts'
import { createVirtualClock, type VirtualClock } from './support/virtual-clock.ts'

const A = modelId('a')
const PLACE: Placement = { model: A, host: LOCAL_HOST }
const BROKEN: Failure = { code: 'start_failed', message: 'It did not start.' }
const CLOSING: Failure = { code: 'shutting_down', message: 'Closing.' }

/** A swap may take ten seconds, and any end two. */
const LIMITS: OrderLimits = { swapMs: () => 10_000, stopMs: () => 2_000 }

const request = (id: number): Request => ({
  id: requestId(id),
  model: A,
  priority: 0,
  criticality: 'standard',
  caller: ANONYMOUS,
  takesSlot: true,
  noLoad: false,
})

const grantOf = (id: RequestId): Command => ({ type: 'grant', request: id, placement: PLACE, epoch: epoch(1) })

interface Rig {
  readonly loop: RunLoop
  readonly scheduler: ScriptedScheduler
  readonly agent: FakeAgent
  readonly clock: VirtualClock
  readonly log: RecordingLog
  /** What the scheduler was told, by type. */
  readonly told: () => string[]
}

const rig = (script: (event: SchedulerEvent) => Command[] | undefined, agents?: ReadonlyMap<HostId, Agent>): Rig => {
  const clock = createVirtualClock()
  const log = recordingLog()
  const agent = createFakeAgent({ host: LOCAL_HOST })
  const scheduler = scriptedScheduler(script)
  const loop = createRunLoop({
    scheduler,
    agents: agents ?? new Map([[LOCAL_HOST, agent]]),
    orderLimits: LIMITS,
    clock,
    log,
  })
  return { loop, scheduler, agent, clock, log, told: () => scheduler.events.map(({ type }) => type) }
}

/** Grants every request at once. */
const grantAll = (event: SchedulerEvent): Command[] | undefined =>
  event.type === 'request-received' ? [grantOf(event.request.id)] : undefined

const ignore = { granted: () => {}, rejected: () => {} }

t.test('a ready model is granted before submit returns', async (t) => {
  const { loop, agent } = rig(grantAll)
  const grants: Grant[] = []
  loop.submit(request(1), { ...ignore, granted: (grant) => grants.push(grant) })
  t.same(grants, [{ request: 1, placement: PLACE, epoch: 1, agent }])
})

t.test('what is closed gives its grant back, once, and what ended meanwhile is left alone', (t) => {
  const close: Command = { type: 'close', request: requestId(1), failure: CLOSING }
  const { loop, told, log } = rig((event) => (event.type === 'pin-asked' ? [close, close] : grantAll(event)))
  const failures: Failure[] = []
  const closed = (failure: Failure): void => {
    failures.push(failure)
    loop.served(requestId(1), 'done')
  }
  loop.submit(request(1), { ...ignore, closed })
  loop.pin(A, true)
  loop.pin(A, true)
  t.same(failures, [CLOSING])
  t.same(told(), ['request-received', 'pin-asked', 'serve-done', 'pin-asked'])
  t.same(log.bugs(), [])
  t.end()
})

t.test('an event that is posted while another is processed waits for its turn', async (t) => {
  const { loop, told } = rig(grantAll)
  const seen: string[] = []
  loop.submit(request(1), {
    ...ignore,
    granted: () => {
      loop.submit(request(2), { ...ignore, granted: () => seen.push('second') })
      loop.served(requestId(1), 'done')
      seen.push('first')
    },
  })
  t.same(seen, ['first', 'second'])
  t.same(told(), ['request-received', 'request-received', 'serve-done'])
})

t.test('commands are carried out in order', async (t) => {
  const order: string[] = []
  const { loop } = rig((event) => {
    if (event.type !== 'request-received' || event.request.id !== 2) return []
    return [{ type: 'reject', request: requestId(1), failure: BROKEN }, grantOf(requestId(2))]
  })
  loop.submit(request(1), { ...ignore, rejected: () => order.push('reject 1') })
  loop.submit(request(2), { ...ignore, granted: () => order.push('grant 2') })
  t.same(order, ['reject 1', 'grant 2'])
})

t.test('each grant ends in exactly one serve-done', async (t) => {
  const { loop, told, log } = rig(grantAll)
  loop.submit(request(1), ignore)
  loop.served(requestId(1), 'done')
  loop.served(requestId(1), 'done')
  loop.served(requestId(1), 'retry')
  loop.served(requestId(9), 'done')
  t.same(told(), ['request-received', 'serve-done'])
  t.equal(log.bugs().length, 3)
})

t.test('a grant that crosses with a cancel is given back at once', async (t) => {
  const told: string[] = []
  const { loop, scheduler } = rig((event) =>
    event.type === 'request-received' && event.request.id === 2 ? [grantOf(requestId(2)), grantOf(requestId(1))] : [],
  )
  loop.submit(request(1), { granted: () => told.push('granted'), rejected: () => told.push('rejected') })
  loop.submit(request(2), { ...ignore, granted: () => loop.cancel(requestId(1)) })
  t.same(told, [])
  t.same(
    scheduler.events.slice(2).map((event) => ({ type: event.type, request: 'request' in event && event.request })),
    [{ type: 'serve-done', request: 1 }],
  )
})

t.test('a cancelled request is told to the scheduler once, and its waiter hears nothing more', async (t) => {
  const told: Failure[] = []
  const { loop, scheduler } = rig((event) =>
    event.type === 'ticked' ? [{ type: 'reject', request: requestId(1), failure: BROKEN }] : [],
  )
  loop.submit(request(1), { ...ignore, rejected: (failure) => told.push(failure) })
  loop.cancel(requestId(1))
  loop.cancel(requestId(1))
  t.same(
    scheduler.events.map(({ type }) => type),
    ['request-received', 'request-cancelled'],
  )
  t.same(told, [])
  t.match(loop.timelineOf(requestId(1))?.steps, [{ type: 'received' }, { type: 'cancelled' }])
})

t.test('a waiter that throws at its grant gets an error, and the loop goes on', async (t) => {
  const { loop, told, log } = rig(grantAll)
  const rejections: Failure[] = []
  loop.submit(request(1), {
    granted: () => {
      throw new Error('out of luck')
    },
    rejected: (failure) => rejections.push(failure),
  })
  t.match(rejections, [{ code: 'internal', message: 'out of luck' }])
  t.same(told(), ['request-received', 'serve-done'])
  t.equal(log.bugs().length, 1)
  let granted = false
  loop.submit(request(2), { ...ignore, granted: () => (granted = true) })
  t.ok(granted)
})

t.test('a scheduler that throws fails the request and the unload that asked', async (t) => {
  const { loop, log } = rig(() => {
    throw new Error('bad decision')
  })
  const rejections: Failure[] = []
  loop.submit(request(1), { ...ignore, rejected: (failure) => rejections.push(failure) })
  t.match(rejections, [{ code: 'internal' }])
  await t.rejects(loop.unload('all', { drainMs: 0, force: false }), { code: 'internal' })
  t.equal(log.bugs().length, 2)
})

const startSwap = (event: SchedulerEvent): Command[] | undefined =>
  event.type === 'request-received'
    ? [
        {
          type: 'start-swap',
          swap: {
            generation: generation(7),
            model: A,
            host: event.request.priority > 0 ? hostId('far') : LOCAL_HOST,
            evict: [modelId('b')],
          },
        },
      ]
    : undefined

t.test('a swap ends in exactly one swap-done with its generation', async (t) => {
  const { loop, scheduler, agent, clock } = rig(startSwap)
  loop.submit(request(1), ignore)
  t.match(agent.swaps, [{ generation: 7, model: 'a' }], 'ordered before submit returns')
  await clock.advance(0)
  t.match(scheduler.events.slice(1), [{ type: 'swap-done', generation: 7, result: { outcome: 'ready', epoch: 1 } }])
})

t.test('a scheduler that throws at a configuration gives away none of its secrets', async (t) => {
  const { loop, log } = rig(() => {
    throw new Error('bad decision')
  })
  loop.reconfigure(schedulerOptions(config([model('a', { apiKey: 'sk-engine', env: { TOKEN: 'sk-env' } })])))
  t.equal(log.bugs().length, 1)
  t.match(JSON.stringify(log.lines), 'config-changed')
  t.notMatch(JSON.stringify(log.lines), 'sk-')
})

t.test('an agent that throws, rejects or is unknown fails the swap and leaves its victims stuck', async (t) => {
  const breakings: Partial<Agent>[] = [
    {
      swap: () => {
        throw new Error('no')
      },
    },
    { swap: () => Promise.reject(new Error('no')) },
  ]
  for (const breaking of breakings) {
    const agent = { ...createFakeAgent({ host: LOCAL_HOST }), ...breaking }
    const { loop, scheduler, clock } = rig(startSwap, new Map([[LOCAL_HOST, agent]]))
    loop.submit(request(1), ignore)
    await clock.advance(0)
    t.match(scheduler.events.slice(1), [
      { type: 'swap-done', result: { outcome: 'failed', evictions: [{ model: 'b', outcome: 'stuck' }] } },
    ])
  }
  const { loop, scheduler, clock } = rig(startSwap)
  loop.submit({ ...request(1), priority: 1 }, ignore)
  await clock.advance(0)
  t.match(scheduler.events.slice(1), [
    { type: 'swap-done', result: { outcome: 'failed', failure: { code: 'host_unreachable' } } },
  ])
})

t.test('an abort goes to the agent of the swap', async (t) => {
  const { loop, agent } = rig((event) => {
    if (event.type === 'request-cancelled') return [{ type: 'abort-swap', generation: generation(7) }]
    return startSwap(event)
  })
  loop.submit(request(1), ignore)
  loop.cancel(requestId(1))
  t.same(agent.aborts, [7])
})

t.test('a stop goes to every host and comes back as one stop-done', async (t) => {
  const near = createFakeAgent({ host: LOCAL_HOST })
  const far = createFakeAgent({ host: hostId('far'), stop: async () => [] })
  const placements = [PLACE, { model: A, host: far.host }, { model: modelId('b'), host: LOCAL_HOST }]
  const { loop, scheduler, clock } = rig(
    (event) =>
      event.type === 'request-received'
        ? [{ type: 'stop', generation: generation(3), placements, drainMs: 5, reason: 'unload' }]
        : [],
    new Map([
      [near.host, near],
      [far.host, far],
    ]),
  )
  loop.submit(request(1), ignore)
  await clock.advance(0)
  t.match(near.stops, [{ generation: 3, models: ['a', 'b'], drainMs: 5 }])
  t.match(far.stops, [{ generation: 3, models: ['a'] }])
  const [done, ...more] = scheduler.events.slice(1)
  t.same(more, [])
  t.match(done, { type: 'stop-done', generation: 3 })
  if (done?.type !== 'stop-done') return
  t.same(
    done.outcomes.map(({ placement, outcome }) => `${placement.host}/${placement.model} ${outcome}`),
    ['local/a stopped', 'local/b stopped', 'far/a stuck'],
    'what an agent leaves out counts as stuck',
  )
})

t.test(
  'an agent that does not answer a swap is told to give it up, and is lost when it does not do that either',
  async (t) => {
    let answer: ((result: SwapResult | undefined) => void) | undefined
    const agent = createFakeAgent({ host: LOCAL_HOST, load: () => new Promise((resolve) => (answer = resolve)) })
    const { loop, scheduler, clock, told } = rig(startSwap, new Map([[LOCAL_HOST, agent]]))
    loop.submit(request(1), ignore)
    await clock.advance(9_999)
    t.same(agent.aborts, [])
    await clock.advance(1)
    t.same(agent.aborts, [7])
    await clock.advance(1_999)
    t.same(told(), ['request-received'])
    await clock.advance(1)
    const failure = { code: 'host_unreachable', message: /host "local" did not answer the swap to a within 12 s/ }
    t.match(scheduler.events.slice(1), [
      { type: 'fleet-changed', observation: { type: 'host-vanished', host: LOCAL_HOST, failure } },
      { type: 'swap-done', result: { outcome: 'failed', failure, evictions: [{ model: 'b', outcome: 'kept' }] } },
    ])
    await clock.advance(499)
    t.equal(told().length, 3)
    await clock.advance(100_000)
    t.equal(told().length, 4, 'one answer, and no more: it says what it runs')
    answer?.(undefined)
    await clock.advance(0)
    t.match(scheduler.events.slice(3), [
      { type: 'fleet-changed', observation: { type: 'host-appeared', ready: [] } },
      { type: 'fleet-changed', observation: { type: 'host-appeared', ready: [{ model: 'a' }] } },
    ])
  },
)

t.test('a loop that has stopped waits for no answer any more', async (t) => {
  const agent = createFakeAgent({ host: LOCAL_HOST, load: () => new Promise(() => {}) })
  const { loop, clock, told } = rig(startSwap, new Map([[LOCAL_HOST, agent]]))
  loop.submit(request(1), ignore)
  loop.stop()
  await clock.advance(100_000)
  t.same([told(), agent.aborts], [['request-received'], []])
})

t.test('a swap that is given up must end as fast as a stop', async (t) => {
  const agent = createFakeAgent({ host: LOCAL_HOST, load: () => new Promise(() => {}) })
  const { loop, clock, told } = rig(
    (event) =>
      event.type === 'request-cancelled' ? [{ type: 'abort-swap', generation: generation(7) }] : startSwap(event),
    new Map([[LOCAL_HOST, agent]]),
  )
  loop.submit(request(1), ignore)
  loop.cancel(requestId(1))
  await clock.advance(1_999)
  t.same(told(), ['request-received', 'request-cancelled'])
  await clock.advance(1)
  t.same(told().slice(2), ['fleet-changed', 'swap-done'])
})

t.test('an agent that does not answer a stop leaves the processes stuck, and is lost', async (t) => {
  let answer: (() => void) | undefined
  const far = createFakeAgent({
    host: hostId('far'),
    stop: () => new Promise((resolve) => (answer = () => resolve(undefined))),
  })
  const near = createFakeAgent({ host: LOCAL_HOST })
  const placements = [PLACE, { model: A, host: far.host }]
  const limits: (number | 'never')[] = [5_000, 'never']
  const { loop, scheduler, clock, told } = rig(
    (event) => {
      const drainMs = event.type === 'request-received' ? limits.shift() : undefined
      return drainMs === undefined
        ? []
        : [{ type: 'stop', generation: generation(3), placements, drainMs, reason: 'unload' }]
    },
    new Map([
      [near.host, near],
      [far.host, far],
    ]),
  )
  loop.submit(request(1), ignore)
  await clock.advance(6_999)
  t.same(told(), ['request-received'], 'five for the drain and two for the end')
  await clock.advance(1)
  const failure = { code: 'host_unreachable', message: /host "far" did not answer the stop of a within 7 s/ }
  t.match(scheduler.events.slice(1), [
    { type: 'stop-done', outcomes: [{ outcome: 'stopped' }, { outcome: 'stuck', failure }] },
    { type: 'fleet-changed', observation: { type: 'host-vanished', host: far.host, failure } },
  ])
  answer?.()
  await clock.advance(0)
  t.match(scheduler.events.at(-1), { observation: { type: 'host-appeared', host: far.host } })
  loop.submit(request(2), ignore)
  await clock.advance(1_000_000_000)
  t.match(far.stops.at(-1), { drainMs: 'never' })
  t.equal(told().at(-1), 'request-received', 'who may drain for ever may take that long')
})

t.test('ticks when the scheduler asks for it, and only then', async (t) => {
  const { loop, scheduler, clock, told } = rig((event) => {
    if (event.type === 'ticked') scheduler.tickAt = undefined
    return []
  })
  scheduler.tickAt = clock.now() + 1_000
  loop.submit(request(1), ignore)
  await clock.advance(999)
  t.same(told(), ['request-received'])
  await clock.advance(1)
  t.same(told(), ['request-received', 'ticked'])
  await clock.advance(100_000)
  t.same(told(), ['request-received', 'ticked'])
})

t.test('a tick that stays due does not spin', async (t) => {
  const { loop, scheduler, clock, told } = rig(() => [])
  scheduler.tickAt = clock.now()
  loop.submit(request(1), ignore)
  await clock.advance(10)
  t.equal(told().filter((type) => type === 'ticked').length, 11)
})

t.test('unload resolves with what became of the processes', async (t) => {
  const outcomes = [{ placement: PLACE, outcome: 'stopped' as const }]
  const { loop, scheduler } = rig((event) =>
    event.type === 'unload-asked' ? [{ type: 'answer-unload', unload: event.unload, outcomes }] : [],
  )
  t.same(await loop.unload([A], { drainMs: 7, force: true }), outcomes)
  t.match(scheduler.events, [{ type: 'unload-asked', targets: ['a'], drainMs: 7, force: true }])
})

t.test('a load is granted and done in one go', async (t) => {
  const { loop, told } = rig(grantAll)
  const load = loop.load(A)
  t.same(load.outcome(), { type: 'ready', placement: PLACE })
  t.same(await load.done, { type: 'ready', placement: PLACE })
  t.same(told(), ['request-received', 'serve-done'])
})

t.test('a retry keeps the request and is granted again', async (t) => {
  const { loop, told } = rig((event) => (event.type === 'serve-done' ? [grantOf(event.request)] : grantAll(event)))
  let grants = 0
  loop.submit(request(1), {
    ...ignore,
    granted: () => {
      grants += 1
      if (grants === 1) loop.served(requestId(1), 'retry')
    },
  })
  t.equal(grants, 2)
  t.same(told(), ['request-received', 'serve-done'])
})

t.test('after the shutdown nothing is queued any more', async (t) => {
  const { loop, scheduler, told } = rig(grantAll)
  const failures: string[] = []
  const waiter = { ...ignore, rejected: ({ code }: Failure) => failures.push(code) }
  loop.submit(request(1), waiter)
  loop.shutdown(CLOSING)
  loop.shutdown(CLOSING)
  loop.submit(request(2), waiter)
  loop.served(requestId(1), 'retry')
  t.same(failures, ['shutting_down', 'shutting_down'])
  t.same(told(), ['request-received', 'shutdown-started', 'serve-done'])
  t.match(scheduler.events.at(-1), { outcome: 'done' })
})

t.test('start tells what each host runs; one that does not answer has vanished', async (t) => {
  const near = createFakeAgent({ host: LOCAL_HOST })
  near.running.set(A, epoch(4))
  const far: Agent = { ...createFakeAgent({ host: hostId('far') }), processes: () => new Promise(() => {}) }
  const { loop, scheduler, clock } = rig(
    () => [],
    new Map<HostId, Agent>([
      [near.host, near],
      [far.host, far],
    ]),
  )
  const started = loop.start()
  await clock.advance(5_000)
  await started
  t.match(scheduler.events, [
    { type: 'fleet-changed', observation: { type: 'host-appeared', host: 'local', ready: [{ model: 'a', epoch: 4 }] } },
    { type: 'fleet-changed', observation: { type: 'host-vanished', host: 'far', failure: { code: 'timed_out' } } },
  ])
  near.crash(A)
  t.match(scheduler.events[2], { observation: { type: 'process-exited', placement: PLACE, epoch: 4 } })
  loop.stop()
  near.emit({ type: 'process-exited', placement: PLACE, epoch: epoch(4), failure: BROKEN })
  t.equal(scheduler.events.length, 3, 'nothing is heard after stop')
  t.equal(clock.pending(), 0)
})

t.test('timelines of ended requests are kept, the oldest forgotten first', async (t) => {
  const { loop } = rig(grantAll)
  for (let id = 1; id <= 1_005; id++) {
    loop.submit(request(id), ignore)
    loop.answered(requestId(id))
    loop.served(requestId(id), 'done')
  }
  t.equal(loop.timelineOf(requestId(5)), undefined)
  t.match(loop.timelineOf(requestId(6))?.steps, [{ type: 'received' }, { type: 'first-byte' }, { type: 'done' }])
})
