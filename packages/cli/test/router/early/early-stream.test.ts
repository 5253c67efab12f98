import { modelId } from '@lswap/core'
import t from 'tap'
import { eventStream, fail } from '../support/answers.ts'
import { until } from '../support/ask.ts'
import { CHAT, payload, PULSE, startEarlyRig, told } from './support.ts'

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
