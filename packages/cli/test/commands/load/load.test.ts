import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, refusal, routerDouble, silence } from '../../router-double.ts'
import { until } from '../../e2e/until.ts'
import { terminal } from '../../terminal.ts'

/** What was ordered; how far it is is read from the feed beside it, once that takes long enough to show. */
const ordersOf = ({ seen }: { readonly seen: readonly { readonly url: string }[] }): string[] =>
  seen.map(({ url }) => url).filter((url) => url !== '/api/events')

const LOAD = 'POST /api/models/load'

t.test('waits until the model is ready and says how long it took', async (t) => {
  const io = terminal()
  // Not before it is said what is waited for
  const router = await routerDouble({
    [LOAD]: (request, response) =>
      void until('it is said', () => io.err() !== '' || undefined).then(() => json(200, {})(request, response)),
  })
  t.teardown(() => router.close())
  t.equal(await main(['load', 'tiny', '--url', router.url], io), 0)
  t.equal(io.err(), 'loading tiny…\n')
  t.match(io.out(), /^tiny is ready after \d+\.\d s\n$/)
  t.equal(io.listeners(), 0)
})

t.test('--json is one document on stdout', async (t) => {
  const router = await routerDouble({ [LOAD]: json(200, {}) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['load', 'tiny', '--json', '--url', router.url], io), 0)
  t.match(JSON.parse(io.out()), { model: 'tiny', state: 'ready', loadMs: Number })
})

t.test('--no-wait only asks', async (t) => {
  const router = await routerDouble({ [LOAD]: json(202, {}) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['load', 'tiny', '--no-wait', '--url', router.url], io), 0)
  t.equal(router.seen[0]?.url, '/api/models/load/tiny?wait=false')
  t.match(io.out(), /tiny is asked for/)
})

t.test('a model id may hold slashes and anything that a URL would take amiss', async (t) => {
  const router = await routerDouble({ [LOAD]: json(200, {}) })
  t.teardown(() => router.close())
  for (const model of ['org/m:q4', '../up', 'a?b#c d', 'ü'])
    await main(['load', model, '--url', router.url], terminal())
  t.same(ordersOf(router), [
    '/api/models/load/org/m%3Aq4',
    '/api/models/load/../up',
    '/api/models/load/a%3Fb%23c%20d',
    '/api/models/load/%C3%BC',
  ])
})

t.test('--timeout ends with 7, and the load that nobody waits for any more is kept', async (t) => {
  const router = await routerDouble({ [`${LOAD}/slow?wait=false`]: json(202, {}), [LOAD]: silence })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['load', 'slow', '--timeout', '0.02', '--url', router.url], io), 7)
  t.match(io.err(), /slow is not ready after 0\.0 s; the load goes on\.\nhint: `lswap ps`/)
  t.same(ordersOf(router), ['/api/models/load/slow', '/api/models/load/slow?wait=false'])
})

t.test('a model that becomes ready at the last moment is ready', async (t) => {
  const router = await routerDouble({ [`${LOAD}/slow?wait=false`]: json(200, { state: 'ready' }), [LOAD]: silence })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['load', 'slow', '--timeout', '0.02', '--url', router.url], io), 0)
  t.match(io.out(), 'slow is ready')
})

t.test('the wait ends only after the load was asked for without waiting', async (t) => {
  const order: string[] = []
  const left = new EventEmitter()
  const router = await routerDouble({
    [`${LOAD}/slow?wait=false`]: (request, response) => {
      order.push('asked')
      json(202, { state: 'loading' })(request, response)
    },
    [LOAD]: ({ socket }) => {
      socket.once('close', () => {
        order.push('left')
        left.emit('now')
      })
    },
  })
  t.teardown(() => router.close())
  const isLeft = once(left, 'now')
  t.equal(await main(['load', 'slow', '--timeout', '0.02', '--url', router.url], terminal()), 7)
  await isLeft
  t.same(order, ['asked', 'left'])
})

t.test('Ctrl-C while it waits ends with 130 at once', async (t) => {
  const router = await routerDouble({ [LOAD]: silence })
  t.teardown(() => router.close())
  const io = terminal()
  const exitCode = main(['load', 'slow', '--url', router.url], io)
  await router.asked('/api/models/load/slow')
  io.signal('SIGINT')
  t.equal(await exitCode, 130)
  t.match(io.err(), /error: Interrupted/)
})

t.test('a model that does not start ends with 1 and the lines of its log', async (t) => {
  const message = 'tiny exited with code 3.\nlast lines:\n  cannot open model'
  const router = await routerDouble({ [LOAD]: refusal(502, 'start_failed', message) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['load', 'tiny', '--url', router.url], io), 1)
  t.match(io.err(), message)
})
