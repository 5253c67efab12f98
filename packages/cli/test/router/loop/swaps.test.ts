import t from 'tap'
import {
  generation,
  hostId,
  LOCAL_HOST,
  modelId,
  requestId,
  type Command,
  type SchedulerEvent,
  type SwapResult,
} from '@lswap/core'
import type { Agent } from '@lswap/agent'
import { createFakeAgent } from '../support/fake-agent.ts'
import { A, PLACE, request, rig, ignore } from './rig.ts'

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
