import t from 'tap'
import { ANONYMOUS, modelId, requestId, restoreScheduler } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const options = {
  models: [model('A', { concurrencyLimit: 2, idleMs: 5_000 }), model('B'), model('C', { pinned: true })],
  limits: { drainTimeoutMs: 10_000 },
}

/** One of everything: grants, waiters, a cooldown, an unload that is not answered, an unpinned model. */
const busy = (): Rig => {
  const rig = new Rig(options)
  rig.hostUp('local', [{ model: 'A' }, { model: 'C' }])
  rig.ask('A', { priority: 3 })
  rig.ask('A')
  rig.pass(700)
  rig.served(2)
  rig.ask('A', { takesSlot: false })
  rig.served(3)
  rig.ask('B', { priority: -4 })
  rig.unload(['C'])
  rig.ask('C')
  rig.pass(300)
  return rig
}

const requestFor = (id: string, number: number, now: number) =>
  ({
    type: 'request-received',
    now,
    request: {
      id: requestId(number),
      model: modelId(id),
      priority: 0,
      criticality: 'critical',
      caller: ANONYMOUS,
      takesSlot: true,
      noLoad: false,
    },
  }) as const

t.test('a snapshot is JSON, and a scheduler restored from it has the same one', (t) => {
  const { scheduler } = busy()
  const text = JSON.stringify(scheduler.snapshot())
  const restored = restoreScheduler(rigOptions(options), JSON.parse(text))
  t.equal(JSON.stringify(restored.snapshot()), text)
  t.end()
})

t.test('a restored scheduler answers the same queries', (t) => {
  const { scheduler, now } = busy()
  const restored = restoreScheduler(rigOptions(options), scheduler.snapshot())
  t.same(restored.view(now), scheduler.view(now))
  t.same(restored.stats(now), scheduler.stats(now))
  t.equal(restored.nextTick(), scheduler.nextTick())
  for (const request of [1, 4, 5]) {
    t.same(restored.timelineOf(request as never), scheduler.timelineOf(request as never))
    t.same(restored.causeOf(request as never), scheduler.causeOf(request as never))
    t.equal(restored.positionOf(request as never), scheduler.positionOf(request as never))
  }
  t.end()
})

t.test('a restored scheduler goes on in the same way', (t) => {
  const rig = busy()
  const restored = restoreScheduler(rigOptions(options), rig.scheduler.snapshot())
  const event = { type: 'ticked', now: 10_700 } as const
  const commands = rig.scheduler.onTick(event)
  t.match(commands, [{ type: 'start-swap', swap: { model: 'B', evict: ['A', 'C'] } }])
  t.same(restored.onTick(event), commands)
  t.end()
})

t.test('a restored scheduler still keeps what an overdue request needs', (t) => {
  const held = { ...options, limits: { drainTimeoutMs: 'never' } } as const
  const kept = new Rig(held)
  kept.hostUp('local', [{ model: 'A' }])
  kept.ask('A')
  kept.ask('B')
  kept.pass(60_000)
  const restored = restoreScheduler(rigOptions(held), kept.scheduler.snapshot())
  const event = requestFor('A', 3, kept.now)
  t.same(restored.onRequest(event), [])
  t.same(kept.scheduler.onRequest(event), [])
  t.equal(restored.causeOf(event.request.id)?.type, 'held-for')
  t.end()
})

t.test('a snapshot shares nothing with the live scheduler', (t) => {
  const rig = busy()
  const snapshot = rig.scheduler.snapshot()
  const text = JSON.stringify(snapshot)
  rig.served(1)
  rig.pass(1_000)
  t.equal(JSON.stringify(snapshot), text)
  t.end()
})

t.test('a snapshot of an unknown version is refused', (t) => {
  t.throws(() => restoreScheduler(rigOptions(options), { version: 2 }), /unknown version 2/)
  t.end()
})
