import t from 'tap'
import { callerId, modelId, requestId, restoreScheduler, type Scheduler } from '../../../src/index.ts'
import { rigOptions } from '../fixtures.ts'
import { model, Rig } from '../rig.ts'
import { serial } from './fixtures.ts'

const options = { models: [model('A', { concurrencyLimit: 2 }), model('B')], policy: serial() }

/** B is waited for: A drains, and one of its slots is held. */
const held = (): Rig => {
  const rig = new Rig(options)
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B', { priority: 3 })
  rig.ask('A', { caller: callerId('k1') })
  return rig
}

const restored = ({ scheduler }: Rig): Scheduler =>
  restoreScheduler(rigOptions(options), JSON.parse(JSON.stringify(scheduler.snapshot())))

const requestOf = (id: string, number: number, more: { caller?: string; priority?: number } = {}) =>
  ({
    type: 'request-received',
    now: 100,
    request: {
      id: requestId(number),
      model: modelId(id),
      priority: more.priority ?? 0,
      criticality: 'critical',
      caller: callerId(more.caller ?? 'anonymous'),
      takesSlot: true,
      noLoad: false,
    },
  }) as const

t.test('a restored scheduler keeps a hold', async (t) => {
  const rig = held()
  const twin = restored(rig)
  const event = requestOf('A', 4)
  t.same(rig.scheduler.onRequest(event), [])
  t.same(twin.onRequest(event), [])
  t.equal(twin.causeOf(requestId(4))?.type, 'held-for')
})

t.test('a restored scheduler still shares between callers', async (t) => {
  const twin = restored(held())
  twin.onRequest(requestOf('A', 4, { caller: 'k1' }))
  twin.onRequest(requestOf('A', 5, { caller: 'k2' }))
  t.same(
    [3, 5, 4].map((request) => twin.positionOf(requestId(request))),
    [2, 3, 4],
  )
})

t.test('a restored scheduler has the same places and goes on in the same way', async (t) => {
  const rig = held()
  const twin = restored(rig)
  t.same(twin.stats(100), rig.scheduler.stats(100))
  for (const request of [2, 3]) t.equal(twin.positionOf(requestId(request)), rig.position(request))
  const event = { type: 'serve-done', now: 200, request: requestId(1), outcome: 'done' } as const
  const commands = rig.scheduler.onServeDone(event)
  t.match(commands, [{ type: 'start-swap', swap: { model: 'B', evict: ['A'] } }])
  t.same(twin.onServeDone(event), commands)
})

t.test('a restored scheduler has counted the same', async (t) => {
  const rig = new Rig(options)
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('A', { priority: -2 })
  rig.now = 30_000
  rig.ask('A')
  rig.served(1)
  t.equal(rig.scheduler.stats(rig.now).agingReorders, 1)
  t.same(restored(rig).stats(rig.now), rig.scheduler.stats(rig.now))
})
