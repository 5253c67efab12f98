import { modelId } from '@lswap/core'
import t from 'tap'
import { eventStream, fail } from '../support/answers.ts'
import { until } from '../support/ask.ts'
import { access, bearer, key } from '../support/keys.ts'
import { CHAT, eventsOf, payload, startEarlyRig, told } from './support.ts'

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
