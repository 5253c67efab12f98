import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, routerDouble } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

const DOCUMENT = {
  running: [
    {
      model: 'tiny',
      state: 'ready',
      host: 'local',
      pid: 4711,
      memoryBytes: 1_503_238_553,
      inFlight: 0,
      waiting: 0,
      idleMs: 12_000,
      untilMs: 288_000,
    },
    { model: 'kept', state: 'ready', host: 'local', inFlight: 1, waiting: 0, pinned: true },
    { model: 'default', state: 'stopped', inFlight: 0, waiting: 0, restoreMs: 61_000 },
    { model: 'org/big:q4', state: 'loading', host: 'local', inFlight: 0, waiting: 3, future: true },
  ],
}

t.test('a table for people', async (t) => {
  const router = await routerDouble({ 'GET /running': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['ps', '--url', router.url], io), 0)
  t.equal(
    io.out(),
    [
      'MODEL       STATE    HOST    PID      MEM  INFLIGHT  WAIT  IDLE  UNTIL',
      'tiny        ready    local  4711  1.4 GiB         0     0  12 s  in 4m 48s',
      'kept        ready    local     -        -         1     0     -  pinned',
      'default     stopped  -         -        -         0     0     -  back in 1m 1s',
      'org/big:q4  loading  local     -        -         0     3     -  -',
      '',
    ].join('\n'),
  )
  t.equal(io.err(), '')
})

t.test('the router’s document for programs', async (t) => {
  const router = await routerDouble({ 'GET /running': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['ps', '--json', '--url', router.url], io), 0)
  t.same(JSON.parse(io.out()), DOCUMENT)
})

t.test('one that does not end is said aloud, with the reason', async (t) => {
  const failure = { code: 'stop_failed', message: 'm (pid 7) still runs' }
  const stuck = { model: 'm', state: 'stuck', host: 'local', pid: 7, inFlight: 0, waiting: 1, failure }
  const router = await routerDouble({ 'GET /running': json(200, { running: [stuck] }) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['ps', '--url', router.url], io), 0)
  t.equal(io.err(), 'm is stuck: m (pid 7) still runs.\n')
})

t.test('nothing loaded: the header alone, and a word to a person', async (t) => {
  const router = await routerDouble({ 'GET /running': json(200, { running: [] }) })
  t.teardown(() => router.close())
  const io = terminal({ isTTY: true, env: { NO_COLOR: '1' } })
  t.equal(await main(['ps', '--url', router.url], io), 0)
  t.equal(io.out().split('\n').length, 2)
  t.equal(io.err(), 'Nothing is loaded.\n')
})

t.test('--url and --key-file win over the environment; a path before the routes is kept', async (t) => {
  const router = await routerDouble({ 'GET /base/running': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const folder = scratch(t, { key: 'secret-1\n', other: 'secret-2\n' })
  const env = { LSWAP_URL: 'http://127.0.0.1:1', LSWAP_KEY_FILE: 'key' }
  const io = terminal({ env, cwd: folder })
  t.equal(await main(['ps', '--url', `${router.url.slice('http://'.length)}/base/`], io), 0)
  t.equal(await main(['ps', '--url', `${router.url}/base`, '--key-file', 'other'], io), 0)
  t.same(
    router.seen.map(({ authorization }) => authorization),
    ['Bearer secret-1', 'Bearer secret-2'],
  )
})
