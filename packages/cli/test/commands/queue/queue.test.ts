import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, routerDouble } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

const DOCUMENT = {
  hosts: [],
  total: 3,
  waiting: [
    {
      id: 17,
      position: 1,
      model: 'org/big:q4',
      band: 'urgent',
      priority: 5,
      waitedMs: 3_000,
      estimate: { lowMs: 4_000, medianMs: 12_000, highMs: 20_000 },
      unmeasured: [],
      why: 'draining tiny: 2 requests still run, cut in 480 s at the latest',
      future: true,
    },
    { id: 18, position: 2, model: 'tiny', band: 'batch', priority: -1, waitedMs: 61_000, estimate: null, why: 'held' },
  ],
  stats: {},
}

t.test('a table in the order of dispatch, and what is not shown', async (t) => {
  const router = await routerDouble({ 'GET /api/queue?limit=2': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['queue', '--limit', '2', '--url', router.url], io), 0)
  t.equal(
    io.out(),
    [
      'POS  REQUEST  MODEL       BAND    PRIO  WAITED  ESTIMATE             WHY',
      '  1       17  org/big:q4  urgent     5   3.0 s  12 s (4.0 s – 20 s)  draining tiny: 2 requests still run, cut in 480 s at the latest',
      '  2       18  tiny        batch     -1   1m 1s  -                    held',
      '… and 1 more',
      '',
    ].join('\n'),
  )
  t.equal(io.err(), '')
})

t.test('the router’s document for programs', async (t) => {
  const router = await routerDouble({ 'GET /api/queue?limit=100': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['queue', '--json', '--url', router.url], io), 0)
  t.same(JSON.parse(io.out()), DOCUMENT)
})

t.test('nobody waits: the header alone, and a word to a person', async (t) => {
  const router = await routerDouble({ 'GET /api/queue': json(200, { total: 0, waiting: [] }) })
  t.teardown(() => router.close())
  const io = terminal({ isTTY: true, env: { NO_COLOR: '1' } })
  t.equal(await main(['queue', '--url', router.url], io), 0)
  t.equal(io.out().split('\n').length, 2)
  t.equal(io.err(), 'Nobody waits.\n')
})

t.test('a limit that is none ends with 2', async (t) => {
  for (const limit of ['-1', 'x', '1.5', '2001']) {
    const io = terminal()
    t.equal(await main(['queue', '--limit', limit], io), 2, limit)
    t.match(io.err(), /number from 0 to 2000/)
  }
})
