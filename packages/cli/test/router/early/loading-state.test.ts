import { modelId } from '@lswap/core'
import t from 'tap'
import { eventStream, fail } from '../support/answers.ts'
import { until } from '../support/ask.ts'
import { access, bearer, key } from '../support/keys.ts'
import { eventsOf, payload, PULSE, startEarlyRig, told } from './support.ts'

const CHAT = { model: 'a', stream: true }
const ENGINE = ['data: {"id":"1","choices":[]}\n\nda', 'ta: {"x":"漢"}\r\n\r\n', 'data: [DONE]\n\n']

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly reasoning_content: string } }[]
}

const auth = (name: string): string => `Authorization: ${bearer(name)['Authorization']}\r\n`

/** What the chunks so far tell, joined. */
const reasoning = (events: readonly string[]): string =>
  events.map((data) => (JSON.parse(data) as Chunk).choices[0]?.delta.reasoning_content).join('')

t.test('a chat stream that must wait gets its head and chunks at once, then the engine’s own bytes', async (t) => {
  const { clock, send, waiting, served, endLoad, log } = await startEarlyRig(t)
  const client = await send({ body: CHAT, headers: 'X-Request-Id: mine\r\n' })
  await waiting(1)
  await clock.advance(99)
  t.equal(client.text(), '')
  await clock.advance(1)
  await client.has('reasoning_content')
  for (const line of [
    'HTTP/1.1 200 OK',
    'Content-Type: text/event-stream',
    'X-Accel-Buffering: no',
    'X-Lswap-Model: a',
    'X-Lswap-Queue: 1',
    'X-Request-Id: mine',
  ])
    t.match(client.text(), `${line}\r\n`)
  t.same(JSON.parse(eventsOf(client)[0] ?? ''), {
    id: 'chatcmpl-lswap-1',
    object: 'chat.completion.chunk',
    created: 1_000,
    model: 'a',
    choices: [
      {
        index: 0,
        delta: { reasoning_content: 'Loading a since 0.1 s, never measured before, position 1 in the queue.\n' },
        logprobs: null,
        finish_reason: null,
      },
    ],
  })
  await clock.advance(2_400)
  endLoad()
  const { handler } = await served(1)
  await client.has('Ready after 3 s.')
  const before = payload(client)
  handler.onHead(eventStream)
  for (const piece of ENGINE) handler.onData(Buffer.from(piece))
  handler.onEnd([])
  await client.has('0\r\n\r\n')
  t.equal(Buffer.from(payload(client), 'latin1').toString(), before + ENGINE.join(''))
  t.same(log.bugs(), [])
})

t.test('news are told as they come, and the same again every ten seconds', async (t) => {
  const { clock, send, waiting, progress } = await startEarlyRig(t)
  const client = await send({ body: CHAT })
  await waiting(1)
  await clock.advance(100)
  const lines = (): string => reasoning(eventsOf(client))
  await client.has('position 1')
  progress({ type: 'loading', fraction: 0.41 })
  await clock.advance(1_000)
  await client.has('(40 %)')
  progress({ type: 'loading', fraction: 0.49 })
  await clock.advance(8_000)
  t.equal(lines().split('\n').length, 3, 'no news, no line')
  progress({ type: 'loading', fraction: 0.5 })
  await clock.advance(1_000)
  await client.has('(50 %)')
  await clock.advance(9_000)
  t.equal(lines().split('\n').length, 4)
  await clock.advance(1_000)
  await until('it is said again', () => lines().split('\n').length === 5)
  t.match(lines(), /since 20 s, never measured before \(50 %\), position 1 in the queue\.\n$/)
})

t.test('the position of who waits goes down, and is told', async (t) => {
  const { clock, send, waiting, agent, served, endLoad } = await startEarlyRig(t, {
    models: [told('a', { concurrencyLimit: 1 })],
  })
  await send({ body: CHAT })
  await waiting(1)
  endLoad()
  const first = await served(1)
  await send({ body: CHAT })
  await waiting(1)
  const client = await send({ body: CHAT })
  await waiting(2)
  await clock.advance(100)
  await client.has('X-Lswap-Queue: 2')
  await client.has('Slots full: 1 of 1 of a, position 2 in the queue')
  const next = await send({ body: CHAT })
  await waiting(3)
  await clock.advance(100)
  await next.has('X-Lswap-Queue: 3')
  first.handler.onHead(eventStream)
  first.handler.onEnd([])
  await served(2)
  await clock.advance(2_000)
  await client.has('position 1 in the queue')
  t.equal(agent.forwards.length, 2)
})

t.test('who asks for no stream, and other routes, get the engine’s own answer', async (t) => {
  const { clock, send, waiting } = await startEarlyRig(t)
  const clients = [
    await send({ body: { model: 'a' } }),
    await send({ body: { model: 'a', stream: false } }),
    await send({ body: { stream: 'true', model: 'a' } }),
    await send({ path: '/v1/completions', body: CHAT }),
    await send({ path: '/v1/responses', body: CHAT }),
    await send({ path: '/v1/embeddings', body: CHAT }),
    await send({ body: { stream: true, model: 'a' }, headers: 'X-Lswap-Early: 0\r\n' }),
  ]
  await waiting(clients.length)
  const last = await send({ body: { model: 'a', messages: [{ content: '"stream":false' }], stream: true } })
  await waiting(clients.length + 1)
  await clock.advance(30_000)
  await last.has('reasoning_content')
  t.same(
    clients.map((client) => client.text()),
    clients.map(() => ''),
  )
})

t.test('a refusal that is known in time has its own status', async (t) => {
  const { clock, send, waiting, endLoad } = await startEarlyRig(t, {
    models: [told('a', { queueLimit: 1 }), told('b')],
  })
  const first = await send({ body: CHAT })
  await waiting(1)
  await clock.advance(100)
  await first.has('reasoning_content')
  const second = await send({ body: CHAT })
  await second.has('queue_full')
  t.match(second.text(), /^HTTP\/1\.1 429 /)
  t.match(second.text(), /\r\nRetry-After: /)
  const unknown = await send({ body: { model: 'nope', stream: true } })
  await unknown.has('HTTP/1.1 404 ')
  const noLoad = await send({ body: { model: 'b', stream: true }, headers: 'X-Lswap-No-Load: 1\r\n' })
  await noLoad.has('HTTP/1.1 409 ')
  endLoad()
})

t.test('a start that fails within the first moment has its own status, later it is an error event', async (t) => {
  const failure = { code: 'start_failed' as const, message: 'No.' }
  const { clock, send, waiting, endLoad } = await startEarlyRig(t)
  const quick = await send({ body: CHAT })
  await waiting(1)
  await clock.advance(50)
  endLoad(failure)
  await quick.has('HTTP/1.1 502 ')
  const slow = await send({ body: { model: 'b', stream: true } })
  await waiting(1)
  await clock.advance(5_000)
  endLoad(failure)
  await slow.has('0\r\n\r\n')
  t.match(slow.text(), /^HTTP\/1\.1 200 /)
  t.match(
    payload(slow),
    /\n\nevent: error\ndata: \{"error":\{"message":"No\.[^\n]*"code":"start_failed"\},"src":"lswap"\}\n\n$/,
  )
  t.notMatch(slow.text(), /DONE/)
  await clock.advance(60_000)
  t.equal(clock.pending(), PULSE, 'and nothing of it is left')
})

t.test('an engine that refuses then is told as an error event, with its own words where it has some', async (t) => {
  const own = { error: { code: 400, message: 'too long', type: 'exceed_context_size_error', n_ctx: 4 } }
  const answers: readonly (readonly [status: number, type: string, text: string, expected: RegExp])[] = [
    [
      400,
      'application/json',
      JSON.stringify(own, null, 2),
      new RegExp(`event: error\ndata: ${JSON.stringify(own)}\n\n$`),
    ],
    [500, 'text/html', `<h1>${'x'.repeat(100_000)}`, /"The engine answered 500 in place of a stream: <h1>x{196}"/],
    [200, 'application/json', '{"choices":[]}', /upstream_refused/],
    [204, 'text/event-stream', '', /upstream_refused/],
  ]
  for (const [status, type, text, expected] of answers) {
    const { clock, send, waiting, served, endLoad } = await startEarlyRig(t)
    const client = await send({ body: CHAT })
    await waiting(1)
    await clock.advance(100)
    await client.has('reasoning_content')
    endLoad()
    const { handler } = await served(1)
    handler.onHead({ status, reason: 'x', headers: ['Content-Type', type], length: text.length })
    if (text !== '') handler.onData(Buffer.from(text))
    handler.onEnd([])
    await client.has('0\r\n\r\n')
    t.match(payload(client), expected)
    t.notMatch(payload(client), /DONE/)
  }
})

t.test('an engine that dies before its first byte is tried again, the stream goes on', async (t) => {
  const { clock, send, waiting, served, endLoad, agent } = await startEarlyRig(t)
  const client = await send({ body: CHAT })
  await waiting(1)
  await clock.advance(100)
  await client.has('reasoning_content')
  endLoad()
  const first = await served(1)
  agent.crash(modelId('a'))
  fail(first, 'upstream_died')
  await waiting(1)
  await clock.advance(1_000)
  endLoad()
  const second = await served(2)
  second.handler.onHead(eventStream)
  second.handler.onData(Buffer.from('data: [DONE]\n\n'))
  second.handler.onEnd([])
  await client.has('0\r\n\r\n')
  t.equal(client.text().split('HTTP/1.1').length, 2, 'one head')
  t.equal(payload(client).split('Ready after').length, 3)
  t.match(payload(client), /data: \[DONE\]\n\n$/)
})

t.test('Anthropic’s clients are pinged, since nothing else may come before the message', async (t) => {
  const { clock, send, waiting, served, endLoad } = await startEarlyRig(t)
  const client = await send({ path: '/v1/messages', body: CHAT })
  await waiting(1)
  await clock.advance(100)
  await client.has('event: ping')
  t.same(JSON.parse(eventsOf(client)[0] ?? ''), {
    type: 'ping',
    lswap: { text: 'Loading a since 0.1 s, never measured before, position 1 in the queue.', position: 1 },
  })
  t.notMatch(payload(client), /message_start|reasoning/)
  endLoad()
  fail(await served(1), 'evicted')
  await client.has('0\r\n\r\n')
  t.match(payload(client), /event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error"/)
})

t.test('a key that reaches some models only hears of no other', async (t) => {
  const { clock, send, waiting, served, endLoad, agent } = await startEarlyRig(t, {
    config: { access: access({ keys: [key('all'), key('b-only', { models: [modelId('b')] })] }) },
  })
  await send({ body: CHAT, headers: auth('all') })
  await until('it loads', () => agent.swaps.length === 1)
  endLoad()
  await served(1)
  const both = [
    await send({ body: { model: 'b', stream: true }, headers: auth('all') }),
    await send({ body: { model: 'b', stream: true }, headers: auth('b-only') }),
  ]
  await waiting(2, bearer('all'))
  await clock.advance(100)
  await both[0]?.has('Draining a')
  await both[1]?.has('Waiting for its turn, position 2 in the queue')
  t.notMatch(both[1]?.text(), /[Dd]raining/)
})

t.test('a client that leaves leaves nothing behind', async (t) => {
  const { clock, send, waiting, endLoad } = await startEarlyRig(t)
  const client = await send({ body: CHAT })
  await waiting(1)
  await clock.advance(100)
  await client.has('reasoning_content')
  client.socket.destroy()
  // A running load has two: when it is given up, and when its agent is
  await until('no timer is left but those of the load', () => clock.pending() === PULSE + 2)
  endLoad()
  await clock.advance(60_000)
  t.equal(clock.pending(), PULSE)
})
