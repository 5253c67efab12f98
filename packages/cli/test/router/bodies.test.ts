import { createHash } from 'node:crypto'
import t from 'tap'
import type { SwapResult } from '@lswap/core'
import { answerJson, fail, head } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { chatHead, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'
import { createVirtualClock } from './support/virtual-clock.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../src/router/limits.ts'

const MIB = 1024 * 1024

/** A load that goes on until the test ends it. */
const gate = () => {
  let open: (() => void) | undefined
  const opened = new Promise<SwapResult | undefined>((resolve) => {
    open = () => resolve(undefined)
  })
  return { load: () => opened, open: () => open?.() }
}

const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** Answers with length and hash of the body. */
const answerHash = async (forward: FakeForward): Promise<void> => {
  const body = await forward.body()
  answerJson({ length: body.length, sha: sha(body) })(forward)
}

const largeBody = (bytes: number): string => `{"model":"a","x":"${'0123456789abcdef'.repeat(bytes / 16)}"}`

t.test('a body of megabytes goes through whole, with length or in chunks', async (t) => {
  const { port, agent } = await startRig(t, { answer: (forward) => void answerHash(forward) })
  const body = largeBody(20 * MIB)
  const expected = JSON.stringify({ length: body.length, sha: sha(body) })
  t.equal((await ask(port, { body })).text, expected)
  t.equal((await ask(port, { body, headers: { 'Transfer-Encoding': 'chunked' } })).text, expected)
  const [counted, chunked] = agent.forwards
  t.equal(counted?.request.body.length, body.length)
  t.equal(chunked?.request.body.length, undefined)
  for (const { request } of agent.forwards) {
    const held = request.body.held.reduce((sum, { length }) => sum + length, 0)
    t.ok(held < 1.2 * MIB, 'most of it was never held')
  }
})

t.test('a body that may be held is sent only when it is whole, and then as one that can be sent again', async (t) => {
  const { port, agent } = await startRig(t, { answer: (forward) => void answerHash(forward) })
  await ask(port, { body: '{"model":"a"}' })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chatHead('Transfer-Encoding: chunked'))
  client.send('d\r\n{"model":"a",\r\n')
  const running = async (): Promise<unknown> => JSON.parse((await ask(port, { path: '/running' })).text)
  for (let at = 0; at < 100 && !JSON.stringify(await running()).includes('"inFlight":1'); at++);
  t.match(await running(), { running: [{ inFlight: 1 }] }, 'its turn has come')
  t.equal(agent.forwards.length, 1, 'nothing was sent yet')
  client.send('6\r\n"x":1}\r\n0\r\n\r\n')
  await client.has(`"length":19,"sha":"${sha('{"model":"a","x":1}')}"`)
  t.match(agent.forwards[1]?.request.body, { length: 19, rest: undefined })
})

t.test('all waiting bodies together have a bound; single bytes count for what they cost', async (t) => {
  const { load, open } = gate()
  const limits = { waitingBodyMemory: 64 * 1024, waitingBodyDisk: 0 }
  const { port, agent } = await startRig(t, { load, limits, answer: answerJson({}) })
  const first = ask(port, { body: largeBody(32 * 1024) })
  await until('the first waits', () => agent.swaps.length === 1)
  const second = await ask(port, { body: largeBody(40 * 1024) })
  t.match([second.status, errorOf(second).code, second.headers['retry-after']], [429, 'resource_exhausted', '5'])
  const drops = await rawClient(port)
  t.teardown(() => drops.socket.destroy())
  drops.send(chatHead('Transfer-Encoding: chunked'))
  drops.send('7\r\n{"x":[0\r\n' + '2\r\n,0\r\n'.repeat(1_000))
  await drops.has('resource_exhausted')
  open()
  t.equal((await first).status, 200)
  t.equal((await ask(port, { body: largeBody(40 * 1024) })).status, 200, 'its memory came back')
})

t.test('a body over its limit is refused: by its length unread, in chunks as soon as it shows', async (t) => {
  const { port, agent, log } = await startRig(t, {
    limits: { maxBodyBytes: 4 * MIB },
    answer: (forward) => void answerHash(forward).catch(() => {}),
  })
  const told = await ask(port, { body: largeBody(5 * MIB) })
  t.match([told.status, errorOf(told).code], [413, 'body_too_large'])
  t.equal(agent.forwards.length, 0)
  const chunked = await ask(port, { body: largeBody(5 * MIB), headers: { 'Transfer-Encoding': 'chunked' } })
  t.match([chunked.status, errorOf(chunked).code], [413, 'body_too_large'])
  t.equal(agent.forwards[0]?.aborted, true)
  t.same(log.bugs(), [])
})

t.test('a streamed body is not sent twice once the engine has read of it', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: (forward) => {
      if (forward.request.body.rest === undefined) answerJson({})(forward)
      else forward.request.body.rest.once('data', () => fail(forward, 'upstream_unreachable'))
    },
  })
  // The model is ready then, so nothing waits and nothing is kept
  await ask(port, { body: '{"model":"a"}' })
  const told = await ask(port, { body: largeBody(4 * MIB) })
  t.match([told.status, errorOf(told).code], [502, 'upstream_unreachable'])
  t.equal(agent.forwards.length, 2)
})

t.test('a streamed body that the engine has not touched is sent again from its start', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: (forward) => {
      if (agent.forwards.length === 1) fail(forward, 'upstream_unreachable')
      else void answerHash(forward)
    },
  })
  const body = largeBody(4 * MIB)
  t.match(JSON.parse((await ask(port, { body })).text), { length: body.length, sha: sha(body) })
  t.equal(agent.forwards.length, 2)
})

t.test('an engine that answers before it has read all: the client gets the answer', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({ early: true }), limits: { discardMs: 5_000 } })
  const told = await ask(port, { body: largeBody(8 * MIB) })
  t.match(told, { status: 200, text: '{"early":true}' })
})

t.test('after an early answer the rest of a body is read for a while and no longer', async (t) => {
  const { port } = await startRig(t, { limits: { discardMs: 50 } })
  const client = await rawClient(port)
  client.send(chatHead('Content-Length: 1000000'))
  client.send('{"model":"nope"')
  await client.has('model_not_found')
  t.equal(await client.ended(), 'closed')
})

t.test('Expect: 100-continue is answered after the checks that need no body', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({ ok: true }), limits: { maxBodyBytes: 1_000 } })
  const good = await rawClient(port)
  t.teardown(() => good.socket.destroy())
  good.send(chatHead('Content-Length: 13\r\nExpect: 100-continue'))
  await good.has('HTTP/1.1 100 Continue\r\n\r\n')
  good.send('{"model":"a"}')
  await good.has('{"ok":true}')
  t.notOk(agent.forwards[0]?.request.headers.some((text) => text.toLowerCase() === 'expect'))
  const large = await rawClient(port)
  large.send(chatHead('Content-Length: 1001\r\nExpect: 100-continue'))
  await large.ended()
  t.match(large.text(), /^HTTP\/1\.1 413 /)
  t.match(large.text(), /\r\nConnection: close\r\n/, 'whether the body follows is not known, so the connection ends')
})

t.test('a body that stalls is refused, whoever reads it', async (t) => {
  const { port } = await startRig(t, { limits: { bodyStallMs: 60 } })
  for (const [framing, begin] of [
    ['Content-Length: 100', '{"x":'],
    ['Transfer-Encoding: chunked', '5\r\n{"x":\r\n'],
  ] as const) {
    const client = await rawClient(port)
    t.teardown(() => client.socket.destroy())
    client.send(chatHead(framing))
    client.send(begin)
    await client.has('stalled for 0.06 s')
    t.match(client.text(), /^HTTP\/1\.1 400 /, framing)
  }
})

t.test('a client that is held back by us does not stall', async (t) => {
  const clock = createVirtualClock()
  // No room to read on behind an engine that takes nothing
  const { port, agent } = await startRig(t, { clock, limits: { waitingBodyDisk: 0 } })
  const loads = ask(port, { body: '{"model":"a"}' })
  await until('the model is there', () => agent.forwards.length === 1)
  agent.forwards.forEach(answerJson({}))
  await loads
  const asked = ask(port, { body: largeBody(24 * MIB) })
  await until('its engine has it', () => agent.forwards.length === 2)
  const [, forward] = agent.forwards
  const rest = forward?.request.body.rest
  await until('it is held back', () => rest !== undefined && rest.readableLength >= rest.readableHighWaterMark)
  await clock.advance(10 * DEFAULT_ROUTER_LIMITS.bodyStallMs)
  if (forward !== undefined) void answerHash(forward)
  t.equal((await asked).status, 200)
})

t.test('Content-Length with Transfer-Encoding, and what is not HTTP, is refused as JSON', async (t) => {
  const { port, agent } = await startRig(t)
  for (const bytes of [
    `${chatHead('Content-Length: 13\r\nTransfer-Encoding: chunked')}0\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n',
    'hello\r\n\r\n',
    `${chatHead('Transfer-Encoding: chunked')}zz\r\n`,
  ]) {
    const client = await rawClient(port)
    client.send(bytes)
    await client.ended()
    t.match(client.text(), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":"invalid_request"/, bytes.slice(0, 40))
  }
  const client = await rawClient(port)
  client.send(`GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`)
  await client.ended()
  t.match(client.text(), /^HTTP\/1\.1 431 /)
  t.same(agent.forwards, [])
})

t.test('a header that does not come to its end in time is refused', async (t) => {
  const { port } = await startRig(t, { limits: { headersTimeoutMs: 100 } })
  const client = await rawClient(port)
  client.send('POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n')
  t.match(await client.ended(), /closed|reset/)
  t.match(client.text(), /^HTTP\/1\.1 408 /)
})

t.test('pipelined requests are answered in order, and all end when their client leaves', async (t) => {
  const { port, agent, log } = await startRig(t, { answer: ({ handler }) => handler.onHead(head()) })
  const client = await rawClient(port)
  const body = '{"model":"a"}'
  client.send((chatHead(`Content-Length: ${body.length}`) + body).repeat(3))
  await until('all are with the engine', () => agent.forwards.length === 3)
  for (const { handler } of agent.forwards.toReversed().slice(0, 2)) {
    handler.onData(Buffer.from('late'))
    handler.onEnd([])
  }
  agent.forwards[0]?.handler.onData(Buffer.from('first'))
  await client.has('first')
  t.notMatch(client.text(), /late/)
  client.socket.destroy()
  await until('all are recorded', () => log.lines.filter(({ fields }) => fields['status'] === 499).length === 3)
  t.equal(agent.forwards[0]?.aborted, true)
  t.match(JSON.parse((await ask(port, { path: '/running' })).text), { running: [{ inFlight: 0 }] })
})

t.test('slots: what is over the limit waits, and the next one goes when one ends', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('a', { concurrencyLimit: 2 })] })
  const asked = [1, 2, 3].map(() => ask(port, { body: '{"model":"a"}' }))
  await until('two are served', () => agent.forwards.length === 2)
  t.match(JSON.parse((await ask(port, { path: '/running' })).text), { running: [{ inFlight: 2, waiting: 1 }] })
  answerJson({ n: 1 })(agent.forwards[0] as FakeForward)
  await until('the third is served', () => agent.forwards.length === 3)
  for (const forward of agent.forwards.slice(1)) answerJson({})(forward)
  for (const told of await Promise.all(asked)) t.equal(told.status, 200)
})
