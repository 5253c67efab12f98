import t from 'tap'
import { eventStream, fail, head } from '../support/answers.ts'
import { ask, errorOf, until } from '../support/ask.ts'
import { chat, rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'

const CHAT = '{"model":"a","messages":[{"role":"user","content":"hi"}]}'

t.test('each chunk of the engine is one chunk for the client, at once', async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(eventStream) })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat(CHAT))
  await client.has('\r\n\r\n')
  t.match(client.text(), /^HTTP\/1\.1 200 OK\r\n/, 'the head does not wait for the first token')
  t.match(client.text(), /\r\nX-Accel-Buffering: no\r\n/)
  const handler = agent.forwards[0]?.handler
  // Cut in the middle of a character and of a frame
  const bytes = Buffer.from('data: 漢字\n\ndata: [DONE]\n\n')
  for (const [from, to] of [
    [0, 7],
    [7, 13],
    [13, undefined],
  ] as const) {
    const piece = bytes.subarray(from, to)
    t.equal(handler?.onData(piece), true)
    await client.has(`${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`)
  }
  handler?.onEnd(['X-Sum', 'abc'])
  await client.has('0\r\nX-Sum: abc\r\n\r\n')
})

t.test('a slow client holds the engine back, and a fast one again lets it go on', async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(head()) })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat(CHAT))
  await client.has('\r\n\r\n')
  client.socket.pause()
  const [forward] = agent.forwards
  let isOpen = true
  for (let sent = 0; isOpen && sent < 1_000; sent++)
    isOpen = forward?.handler.onData(Buffer.alloc(65_536, 'x')) ?? false
  t.equal(isOpen, false, 'the engine is told to wait')
  t.equal(forward?.resumes, 0)
  client.socket.resume()
  await until('the engine is told to go on', () => (forward?.resumes ?? 0) > 0)
})

t.test('a client that leaves while its model loads is taken out of the queue', async (t) => {
  const { port, agent, log } = await startRig(t, { load: () => new Promise(() => {}) })
  const client = await rawClient(port)
  client.send(chat(CHAT))
  await until('the load has begun', () => agent.swaps.length === 1)
  client.socket.destroy()
  await until('it is recorded', () => log.lines.some(({ fields }) => fields['status'] === 499))
  t.same(agent.forwards, [])
  const running = await ask(port, { path: '/running' })
  t.match(JSON.parse(running.text), { running: [{ model: 'a', state: 'loading', waiting: 0 }] })
})

for (const [how, leave] of [
  ['closes', 'destroy'],
  ['closes its half', 'end'],
] as const) {
  t.test(`a client that ${how} in the middle of an answer: the engine's request is aborted`, async (t) => {
    const { port, agent, log } = await startRig(t, {
      answer: ({ handler }) => {
        handler.onHead(eventStream)
        handler.onData(Buffer.from('data: 1\n\n'))
      },
    })
    const client = await rawClient(port)
    client.send(chat(CHAT))
    await client.has('data: 1')
    client.socket[leave]()
    await until('it is aborted', () => agent.forwards[0]?.aborted === true)
    await until('it is recorded', () => log.lines.some(({ fields }) => fields['status'] === 499))
    const running = await ask(port, { path: '/running' })
    t.match(JSON.parse(running.text), { running: [{ inFlight: 0 }] })
    t.same(log.bugs(), [])
  })
}

t.test('a client that closes its half without reading what is sent: the request is aborted all the same', async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(head()) })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat(CHAT))
  await client.has('\r\n\r\n')
  client.socket.pause()
  const [forward] = agent.forwards
  // More than the kernels take
  for (let sent = 0; sent < 16; sent++) forward?.handler.onData(Buffer.alloc(1_048_576, 'x'))
  client.socket.end()
  await until('it is aborted', () => forward?.aborted === true)
  client.socket.resume()
  t.match(await client.ended(), /closed|reset/)
})

t.test('an event stream that breaks ends in an error event and no [DONE]', async (t) => {
  const { port } = await startRig(t, {
    answer: (forward) => {
      forward.handler.onHead(eventStream)
      forward.handler.onData(Buffer.from('data: {"x":1}\n\ndata: {"hal'))
      fail(forward, 'upstream_died', true)
    },
  })
  const told = await ask(port, { body: CHAT })
  t.equal(told.status, 200)
  const events = told.text.split('\n\n')
  t.equal(events[0], 'data: {"x":1}')
  const [name, data] = (events[2] ?? '').split('\n')
  t.equal(name, 'event: error')
  t.match(JSON.parse((data ?? '').slice('data: '.length)), { error: { code: 'upstream_died' }, src: 'lswap' })
  t.notMatch(told.text, /DONE/)
})

t.test('any other answer that breaks ends in a reset', async (t) => {
  const { port, agent, log } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ headers: ['Content-Type', 'application/json'], length: 100 }))
      handler.onData(Buffer.from('{"half":'))
    },
  })
  const client = await rawClient(port)
  client.send(chat(CHAT))
  // A client that has not read yet may find data and reset at once, and tell only of an end
  await client.has('{"half":')
  const [forward] = agent.forwards
  if (forward !== undefined) fail(forward, 'upstream_died', true)
  t.equal(await client.ended(), 'reset')
  await until('it is logged', () => log.lines.some(({ fields }) => fields['code'] === 'upstream_died'))
})

t.test('an answer that HTTP does not allow is an error and not a crash', async (t) => {
  const { port, log } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ headers: ['X-Bad', 'a\r\nb'] }))
      handler.onData(Buffer.from('x'))
      handler.onEnd([])
    },
  })
  const told = await ask(port, { body: CHAT })
  t.match([told.status, errorOf(told).code], [502, 'upstream_died'])
  t.same(log.bugs(), [])
})
