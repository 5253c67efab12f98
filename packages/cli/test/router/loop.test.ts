import t from 'tap'
import {
  epoch,
  hostId,
  LOCAL_HOST,
  requestId,
  schedulerOptions,
  type Command,
  type Failure,
  type HostId,
} from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Grant } from '../../src/router/loop.ts'
import { config, model } from './support/config.ts'
import { createFakeAgent } from './support/fake-agent.ts'
import { A, PLACE, BROKEN, CLOSING, request, grantOf, rig, grantAll, ignore } from './loop/rig.ts'

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

t.test('a scheduler that throws at a configuration gives away none of its secrets', async (t) => {
  const { loop, log } = rig(() => {
    throw new Error('bad decision')
  })
  loop.reconfigure(schedulerOptions(config([model('a', { apiKey: 'sk-engine', env: { TOKEN: 'sk-env' } })])))
  t.equal(log.bugs().length, 1)
  t.match(JSON.stringify(log.lines), 'config-changed')
  t.notMatch(JSON.stringify(log.lines), 'sk-')
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
