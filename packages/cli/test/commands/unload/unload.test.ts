import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, refusal, routerDouble, silence } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

/** What was ordered; how far it is is read from the feed beside it, once that takes long enough to show. */
const ordersOf = ({ seen }: { readonly seen: readonly { readonly url: string }[] }): string[] =>
  seen.map(({ url }) => url).filter((url) => url !== '/api/events')

const UNLOAD = 'POST /api/models/unload'
const OK = json(200, { msg: 'ok' })

t.test('waits for the end and says so', async (t) => {
  const router = await routerDouble({ [UNLOAD]: OK })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['unload', 'a', 'b', 'a', '--url', router.url], io), 0)
  t.equal(io.out(), 'a is unloaded\nb is unloaded\n')
  t.same(ordersOf(router).toSorted(), ['/api/models/unload/a', '/api/models/unload/b'])
})

t.test('--all names what it unloaded', async (t) => {
  const answer = json(200, {
    msg: 'ok',
    unloaded: [
      { model: 'a', host: 'local' },
      { model: 'b', host: 'local' },
    ],
  })
  const router = await routerDouble({ [`${UNLOAD}?force=true`]: OK, [UNLOAD]: answer })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['unload', '--all', '--url', router.url], io), 0)
  t.equal(io.out(), 'a is unloaded\nb is unloaded\n')
  const idle = terminal()
  t.equal(await main(['unload', '--all', '--force', '--url', router.url], idle), 0)
  t.equal(idle.out(), 'nothing was loaded\n')
})

t.test('flags become the query', async (t) => {
  const router = await routerDouble({ [UNLOAD]: OK })
  t.teardown(() => router.close())
  const cases = [
    [['a', '--timeout', '2.5'], '/a?timeout=2.5'],
    [['a', '--timeout', '0'], '/a?timeout=0'],
    [['a', '--force'], '/a?force=true'],
    [['a', '--no-wait'], '/a?wait=false'],
    [['--all'], ''],
    [['--all', '--force'], '?force=true'],
  ] as const
  for (const [argv] of cases) t.equal(await main(['unload', ...argv, '--url', router.url], terminal()), 0)
  t.same(
    ordersOf(router),
    cases.map(([, path]) => `/api/models/unload${path}`),
  )
})

t.test('an unknown model ends with 3 unless it is to be ignored', async (t) => {
  const router = await routerDouble({ [`${UNLOAD}/x`]: refusal(404, 'model_not_found', 'No model "x".'), [UNLOAD]: OK })
  t.teardown(() => router.close())
  const url = ['--url', router.url]
  const alone = terminal()
  t.equal(await main(['unload', 'x', '--json', ...url], alone), 3)
  t.match(JSON.parse(alone.out()), { error: { code: 'model_not_found' } })
  const mixed = terminal()
  t.equal(await main(['unload', 'a', 'x', ...url], mixed), 3)
  t.equal(mixed.out(), 'a is unloaded\n', 'the others are unloaded all the same')
  t.match(mixed.err(), 'error: No model "x".')
  const ignored = terminal()
  t.equal(await main(['unload', 'a', 'x', '--ignore-not-found', '--json', ...url], ignored), 0)
  t.same(JSON.parse(ignored.out()), {
    models: [
      { model: 'a', state: 'unloaded' },
      { model: 'x', state: 'unknown' },
    ],
  })
})

t.test('Ctrl-C while it waits ends with 130', async (t) => {
  const router = await routerDouble({ [UNLOAD]: silence })
  t.teardown(() => router.close())
  const io = terminal()
  const exitCode = main(['unload', 'a', '--url', router.url], io)
  await router.asked('/api/models/unload/a')
  io.signal('SIGINT')
  t.equal(await exitCode, 130)
})
