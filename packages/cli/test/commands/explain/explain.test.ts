import t from 'tap'
import { main } from '../../../src/main.ts'
import { clockText } from '../../../src/print/units.ts'
import { json, refusal, routerDouble, type Reply } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

const WAITING = {
  id: 17,
  model: 'big',
  state: 'waiting',
  host: null,
  priority: 5,
  band: 'urgent',
  durationMs: 7_000,
  error: null,
  spans: [
    { type: 'waiting', text: 'draining tiny', ms: 3_000 },
    { type: 'waiting', text: 'loading big', ms: 4_000 },
  ],
  waiting: {
    position: 2,
    why: 'loading big since 4 s, usually 12 s',
    estimate: { lowMs: 6_000, medianMs: 8_000, highMs: 16_000 },
    unmeasured: [{ measure: 'stop', model: 'tiny' }],
  },
}

const told = async (t: { teardown(end: () => Promise<void>): void }, reply: Reply, ...flags: string[]) => {
  const router = await routerDouble({ 'GET /api/requests/17': reply })
  t.teardown(() => router.close())
  const io = terminal()
  const code = await main(['explain', '17', '--url', router.url, ...flags], io)
  return { code, out: io.out(), err: io.err() }
}

t.test('why it waits, for how long yet, and where its time went so far', async (t) => {
  t.same(await told(t, json(200, WAITING)), {
    code: 0,
    out: [
      'request 17 for big: waiting for 7.0 s',
      'priority 5 (urgent)',
      'place 2 in line: loading big since 4 s, usually 12 s',
      'its turn is expected in 8.0 s (6.0 s – 16 s)',
      'never measured yet: stop time of tiny',
      '',
      ' TIME  WHERE IT WENT',
      '3.0 s  draining tiny',
      '4.0 s  loading big',
      '7.0 s  altogether',
      '',
    ].join('\n'),
    err: '',
  })
})

t.test('one that ended tells how', async (t) => {
  const done = { ...WAITING, state: 'done', host: 'local', waiting: null }
  t.match(
    (await told(t, json(200, done))).out,
    /^request 17 for big: done on local after 7\.0 s\npriority 5 \(urgent\)\n\n/,
  )
  const error = { code: 'unloaded', message: 'model big was unloaded while the request waited' }
  const rejected = { ...done, state: 'rejected', host: null, error }
  t.match((await told(t, json(200, rejected))).out, /^request 17 for big: rejected, unloaded: model big was unloaded/)
})

t.test('one that had a choice of replicas tells why it was that one', async (t) => {
  const reason = "the filter tree kept this one of 2 ready replicas; it holds the first 3 of the prompt's 4 blocks"
  const picked = { ...WAITING, state: 'done', host: 'h1', waiting: null, picked: { reason, steps: [] } }
  t.match((await told(t, json(200, picked))).out, `\npriority 5 (urgent)\npicked: ${reason}\n\n`)
  t.notMatch((await told(t, json(200, { ...picked, picked: null }))).out, /picked/)
})

t.test('the router’s document for programs', async (t) => {
  t.same(JSON.parse((await told(t, json(200, WAITING), '--json')).out), WAITING)
})

t.test('a request that the router does not know ends with 1, something else than a number with 2', async (t) => {
  const ended = await told(t, refusal(404, 'not_found', 'No request 17 is known.'))
  t.match(ended, { code: 1, out: '', err: /error: No request 17 is known/ })
  for (const request of ['x', '-1', '1.5', '']) {
    t.equal(await main(['explain', request], terminal()), 2, request)
  }
})

const LIST = {
  total: 3,
  requests: [
    {
      id: 9,
      model: 'big',
      state: 'waiting',
      host: null,
      caller: 'chat',
      receivedAt: 0,
      durationMs: 1_500,
      error: null,
    },
    {
      id: 8,
      model: 'tiny',
      state: 'rejected',
      host: 'local',
      caller: 'anonymous',
      receivedAt: 0,
      durationMs: 20,
      error: { code: 'start_failed', message: 'x' },
    },
  ],
}

t.test('without a number it lists the requests that can be explained', async (t) => {
  const router = await routerDouble({ 'GET /api/requests?limit=2': json(200, LIST) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['explain', '--limit', '2', '--url', router.url], io), 0)
  t.equal(
    io.out(),
    [
      'REQUEST  AT        MODEL  STATE     HOST    TOOK  KEY   ERROR',
      `      9  ${clockText(0)}  big    waiting   -      1.5 s  chat  -`,
      `      8  ${clockText(0)}  tiny   rejected  local  20 ms  -     start_failed`,
      '… and 1 more',
      '',
    ].join('\n'),
  )
  const asJson = terminal()
  t.equal(await main(['explain', '--limit', '2', '--json', '--url', router.url], asJson), 0)
  t.same(JSON.parse(asJson.out()), LIST)
})
