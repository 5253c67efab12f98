import t from 'tap'
import {
  callerId,
  DEFAULT_FIFO,
  DEFAULT_SERIAL,
  hostId,
  memory,
  requestId,
  restoreScheduler,
  type Request,
} from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const of = (callerLimit: number, more: Partial<Pick<Request, 'priority' | 'takesSlot' | 'noLoad'>> = {}) => ({
  caller: callerId('k1'),
  callerLimit,
  ...more,
})

const models = [model('A', { concurrencyLimit: 4 }), model('B')]

for (const policy of [DEFAULT_FIFO, DEFAULT_SERIAL]) {
  const loaded = (): Rig => {
    const rig = new Rig({ models, policy })
    rig.hostUp('local', [{ model: 'A' }])
    return rig
  }

  t.test(`${policy.use}: a caller has at most so many under way, the rest wait for it alone`, async (t) => {
    const rig = loaded()
    t.same(rig.ask('A', of(2)), ['grant 1 A'])
    t.same(rig.ask('A', of(2)), ['grant 2 A'])
    t.same(rig.ask('A', of(2)), [], 'two slots are free')
    t.equal(rig.cause(3), 'caller-cap')
    t.same(rig.ask('A', { caller: callerId('k2'), callerLimit: 2 }), ['grant 4 A'], 'others are not concerned')
    t.same(rig.served(1), ['grant 3 A'])
    t.equal(rig.cause(3), undefined)
  })

  t.test(`${policy.use}: the queued count as well as the served`, async (t) => {
    const rig = new Rig({ models: [model('A')], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(2))
    rig.ask('A', of(2))
    rig.ask('A', of(2))
    t.equal(rig.cause(2), 'slots-full')
    t.equal(rig.cause(3), 'caller-cap')
    t.same(rig.cancel(2), [], 'the place of one that left goes to the next')
    t.equal(rig.cause(3), 'slots-full')
    t.same(rig.served(1), ['grant 3 A'])
  })

  t.test(`${policy.use}: one that leaves from the middle of the queue makes room as well`, async (t) => {
    const rig = new Rig({ models: [model('A')], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(2))
    rig.ask('A')
    rig.ask('A', of(2))
    rig.ask('A', of(2))
    t.equal(rig.cause(4), 'caller-cap')
    rig.cancel(3)
    t.equal(rig.cause(4), 'slots-full')
  })

  t.test(`${policy.use}: they are let in by priority, then by arrival`, async (t) => {
    const rig = loaded()
    rig.ask('A', of(1))
    rig.ask('A', of(1))
    rig.ask('A', of(1, { priority: 7 }))
    rig.ask('A', of(1))
    t.same(rig.served(1), ['grant 3 A'])
    t.same(rig.served(3), ['grant 2 A'])
    t.same(rig.served(2), ['grant 4 A'])
  })

  t.test(`${policy.use}: who is let in by a refusal changes nothing that was decided before it`, async (t) => {
    const rig = new Rig({ models: [model('A'), model('B')], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A')
    rig.ask('B')
    rig.pass(61_000)
    rig.ask('A', of(1, { noLoad: true }))
    rig.ask('A', of(1))
    t.equal(rig.cause(3), 'slots-full')
    t.equal(rig.cause(4), 'caller-cap')
    t.same(rig.served(1), ['swap 1 B -A', 'reject 3 model_not_loaded'])
    t.equal(rig.cause(4), 'stopping')
  })

  t.test(`${policy.use}: who is let in competes for the slot that made room`, async (t) => {
    const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 })], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(1))
    rig.ask('A')
    rig.ask('A', of(1, { priority: 7 }))
    rig.ask('A', { caller: callerId('k2') })
    t.same(rig.served(1), ['grant 3 A'])
    t.equal(rig.cause(4), 'slots-full')
  })

  t.test(`${policy.use}: those outside the order come last in line`, async (t) => {
    const rig = new Rig({ models: [model('A')], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(1))
    rig.ask('A', of(1, { priority: 7 }))
    rig.ask('A')
    t.same(
      [2, 3].map((request) => rig.position(request)),
      [2, 1],
    )
  })

  t.test(`${policy.use}: they start nothing, and keep nothing from anybody`, async (t) => {
    const rig = loaded()
    rig.ask('A', of(1))
    t.same(rig.ask('B', of(1)), [])
    t.same(rig.ask('A'), ['grant 3 A'])
    rig.served(3)
    t.same(rig.served(1), ['swap 1 B -A'])
  })

  t.test(`${policy.use}: one that is let in takes part in a load that runs`, async (t) => {
    const apart = [model('A', { concurrencyLimit: 2, hosts: [hostId('h1')] }), model('B', { hosts: [hostId('h2')] })]
    const rig = new Rig({ models: apart, policy, hosts: ['h1', 'h2'] })
    rig.hostUp('h2', [{ model: 'B' }])
    rig.ask('B', of(1))
    rig.ask('A', of(1, { priority: -9 }))
    rig.ask('A')
    t.same(rig.served(1), [])
    t.equal(rig.cause(2), 'loading')
    rig.ask('A', { priority: 9 })
    t.same(rig.ready(1), ['grant 3 A@h1', 'grant 2 A@h1'], 'before one that came when its slots were promised')
  })

  t.test(`${policy.use}: they fill the queue like anyone`, async (t) => {
    const rig = new Rig({ models: [model('A', { queueLimit: 1, concurrencyLimit: 2 })], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(1))
    rig.ask('A', of(1))
    t.same(rig.ask('A', of(1)), ['reject 3 queue_full'], 'though a slot is free')
  })

  t.test(`${policy.use}: they keep nobody from a slot that is free`, async (t) => {
    const rig = new Rig({ models: [model('A', { queueLimit: 1, concurrencyLimit: 2 })], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(1))
    rig.ask('A', of(1))
    t.same(rig.ask('A'), ['grant 3 A'])
  })

  t.test(`${policy.use}: they can be cancelled, and end at the queue timeout`, async (t) => {
    const rig = new Rig({ models, policy, limits: { queueTimeoutMs: 1_000 } })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(1))
    rig.ask('A', of(1))
    rig.ask('A', of(1))
    t.same(rig.cancel(2), [])
    t.equal(rig.cause(2), undefined)
    t.same(rig.pass(1_000), ['reject 3 wait_exceeded'])
    t.same(rig.served(1), [])
  })

  t.test(`${policy.use}: an unload, a reload and a shutdown end them`, async (t) => {
    const rig = loaded()
    rig.ask('B', of(1))
    rig.ask('A', of(1))
    t.same(rig.unload(['A']), ['reject 2 unloaded', 'stop 2 A unload'])
    rig.ask('A', of(1))
    t.same(rig.reload({ models: [model('B')], policy }), ['reject 3 model_not_found'])
    rig.ask('B', of(1))
    t.same(rig.shutdown(), ['reject 1 shutting_down', 'reject 4 shutting_down'])
  })

  t.test(`${policy.use}: one that is rejected makes room for the next`, async (t) => {
    const rig = new Rig({ models, policy })
    rig.ask('B', of(1))
    rig.ask('A', of(1))
    t.equal(rig.cause(2), 'caller-cap')
    t.same(rig.failed(1), ['reject 1 start_failed', 'swap 2 A'])
  })

  t.test(`${policy.use}: one that is rejected at the end of a decision makes room as well`, async (t) => {
    const swapper = memory({
      sizeOf: () => ({ bytes: 60, source: 'declared' }),
      budgetOf: () => new Map([['gpu', 100]]),
    })
    const rig = new Rig({ models, policy, swapper })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A')
    rig.ask('B', of(1))
    rig.ask('A', of(1))
    t.same(rig.pin('A', true), ['reject 2 model_impossible', 'grant 3 A'])
  })

  t.test(`${policy.use}: one that is tried again is still under way`, async (t) => {
    const rig = loaded()
    rig.ask('A', of(1))
    rig.ask('A', of(1, { priority: 7 }))
    t.same(rig.served(1, 'retry'), ['grant 1 A'])
    t.same(rig.served(1), ['grant 2 A'])
  })

  t.test(`${policy.use}: the timeline tells both waits`, async (t) => {
    const rig = new Rig({ models: [model('A')], policy })
    rig.hostUp('local', [{ model: 'A' }])
    rig.ask('A', of(1))
    rig.ask('A')
    rig.ask('A', of(1, { priority: 1 }))
    rig.now = 100
    rig.ask('A', { priority: 9 })
    t.same(rig.served(1), ['grant 4 A'])
    rig.now = 300
    rig.served(4)
    t.same(rig.timeline(3), [
      '0 received',
      '0 queued',
      '0 blocked:caller-cap',
      '100 queued',
      '100 blocked:slots-full',
      '300 granted',
    ])
  })

  t.test(`${policy.use}: a restored scheduler lets them in all the same`, async (t) => {
    const rig = loaded()
    rig.ask('A', of(1))
    rig.ask('A', of(1))
    rig.ask('B', of(1, { priority: 7 }))
    const text = JSON.stringify(rig.scheduler.snapshot())
    const restored = restoreScheduler(rigOptions({ models, policy }), JSON.parse(text))
    t.equal(JSON.stringify(restored.snapshot()), text)
    const event = { type: 'serve-done', now: 50, request: requestId(1), outcome: 'done' } as const
    const commands = rig.scheduler.onServeDone(event)
    t.match(commands, [{ type: 'start-swap', swap: { model: 'B', evict: ['A'] } }])
    t.same(restored.onServeDone(event), commands)
    t.equal(restored.causeOf(requestId(2))?.type, 'caller-cap')
  })
}
