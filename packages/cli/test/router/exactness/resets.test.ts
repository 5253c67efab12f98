import { play, type Row } from './support/exchange.ts'
import { valueOf } from './support/message.ts'
import { answer, BODY, chunk, fixed, head, OK, post } from './support/requests.ts'
import { dial, each, startWays } from './support/ways.ts'

const CHUNKED = answer('200 OK', 'Transfer-Encoding: chunked')
const EVENTS = answer('200 OK', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked')
const FIXED = fixed('0123456789')

/** TLS ends by an alert, which does not come then; Node's client does not say that it missed it. */
const CUT = { plain: 'reset', 'node:http': 'reset', TLS: 'closed' } as const

/** The engine goes before its answer has a whole head: directly there is none, the router gives its own. */
const headless: readonly (Row & { readonly status: string; readonly code: string })[] = [
  {
    name: 'a reset in the middle of the status line',
    request: [post()],
    answer: ['HTTP/1.'],
    ends: 'reset',
    status: '502',
    code: 'upstream_died',
  },
  {
    name: 'a close in the middle of the status line',
    request: [post()],
    answer: ['HTTP/1.'],
    ends: 'close',
    status: '502',
    code: 'upstream_died',
  },
  {
    name: 'a reset in the middle of the fields',
    request: [post()],
    answer: [OK.slice(0, 30)],
    ends: 'reset',
    status: '502',
    code: 'upstream_died',
  },
  {
    name: 'a close in the middle of the fields',
    request: [post()],
    answer: [OK.slice(0, 30)],
    ends: 'close',
    status: '502',
    code: 'upstream_died',
  },
]

/** The engine goes within the body: the client has the same part of it on both ways, and no end. */
const cut: readonly Row[] = [
  { name: 'a reset in a body of known length', request: [post()], answer: [FIXED.slice(0, -5)], ends: 'reset' },
  { name: 'a close in a body of known length', request: [post()], answer: [FIXED.slice(0, -5)], ends: 'close' },
  { name: 'a reset right after the head', request: [post()], answer: [FIXED.slice(0, -10)], ends: 'reset' },
  { name: 'a reset between chunks', request: [post()], answer: [CHUNKED + chunk('one')], ends: 'reset' },
  { name: 'a close between chunks', request: [post()], answer: [CHUNKED + chunk('one')], ends: 'close' },
  { name: 'a reset within a chunk', request: [post()], answer: [CHUNKED + chunk('one').slice(0, -3)], ends: 'reset' },
  {
    name: 'a reset before the last chunk',
    request: [post()],
    answer: [CHUNKED + chunk('one'), '0\r\n'],
    ends: 'reset',
  },
]

each('an engine that goes before its head was whole: an error of the router', async (t, how) => {
  const ways = await startWays(t, { client: how })
  for (const row of headless) {
    await t.test(row.name, async (t) => {
      const direct = await play(ways, 'direct', row)
      const { response } = await play(ways, 'routed', row)
      t.equal(direct.response, undefined)
      t.match(response, { start: new RegExp(`^HTTP/1.1 ${row.status} `), isComplete: true })
      t.match(JSON.parse(String(response?.body)), { error: { code: row.code }, src: 'lswap' })
    })
  }
})

each('an engine that goes within its body: the client has as much of it, and notices', async (t, how) => {
  const ways = await startWays(t, { client: how })
  for (const row of cut) {
    await t.test(row.name, async (t) => {
      const direct = await play(ways, 'direct', row)
      const routed = await play(ways, 'routed', row)
      t.equal(routed.response?.start, direct.response?.start)
      t.equal(String(routed.response?.body), String(direct.response?.body))
      t.same([direct.response?.isComplete, routed.response?.isComplete], [false, false])
      t.equal(routed.ending, CUT[how], 'whatever the engine did: a close could be taken for the end')
    })
  }
  t.same(ways.rig.log.bugs(), [])
})

each('an engine that goes within an event stream: what came, then an error event and no [DONE]', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const row: Row = {
    name: 'events',
    request: [post()],
    answer: [EVENTS + chunk('data: 1\r\n\r\ndata: \u00c3')],
    ends: 'reset',
  }
  const { response } = await play(ways, 'routed', row)
  const text = response?.body.toString('latin1') ?? ''
  t.ok(text.startsWith('data: 1\r\n\r\ndata: \u00c3'), text)
  t.match(text, /event: error\ndata: \{"error":.*"upstream_died"/)
  t.notMatch(text, /\[DONE\]/)
  t.equal(response?.isComplete, true)
})

each('an engine that resets before its answer: the request comes once more, whole, and is answered', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(post())
  const first = await ways.engine.arrival(0)
  first.wire.reset()
  const second = await ways.engine.arrival(1)
  await second.wire.send(OK)
  await client.until('the answer', () => client.bytes().includes('{"ok":true}'))
  client.socket.destroy()
  t.same(second.message.fields, first.message.fields)
  t.equal(second.message.body.toString('latin1'), BODY)
})

each('a client that resets within its body: the engine hears nothing of a request that was held', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(head(`Content-Length: ${BODY.length}`) + BODY.slice(0, -2))
  client.reset()
  const { response } = await play(ways, 'routed', { name: 'the next', request: [post()], answer: [OK] })
  t.equal(valueOf(response?.fields ?? [], 'content-type'), 'application/json')
  t.equal(ways.engine.wires.length, 1, 'only the next request came')
})

each('a client that resets while it waits or reads: the connection to the engine ends', async (t, how) => {
  const ways = await startWays(t, { client: how })
  for (const [n, told] of ['', 'HTTP/1.1 200', FIXED.slice(0, -5)].entries()) {
    const client = await dial(ways.ports.routed)
    await client.send(post())
    const { wire } = await ways.engine.arrival(n)
    if (told !== '') await wire.send(told)
    client.reset()
    t.ok(await wire.ended(), `after ${JSON.stringify(told)}`)
  }
})
