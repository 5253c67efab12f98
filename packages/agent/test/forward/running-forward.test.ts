import type { Failure } from '@lswap/core'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import type { Test } from 'tap'
import { createUpstream } from '../../src/forward/upstream.ts'
import type { Upstream, UpstreamOptions } from '../../src/forward/upstream.ts'
import { startEngine } from './support/engine.ts'
import type { Engine, Wire } from './support/engine.ts'
import { createFakeTimers } from './support/fake-timers.ts'
import { createRecorder } from './support/recorder.ts'
import { get, OK, post } from './support/requests.ts'

const SHUT: Failure = { code: 'unloaded', message: 'the model was unloaded' }
const STREAM = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

interface Rig {
  readonly engine: Engine
  readonly upstream: Upstream
}

const rig = async (t: Test, options: Partial<UpstreamOptions> = {}): Promise<Rig> => {
  const engine = await startEngine(t)
  const upstream = createUpstream({ host: '127.0.0.1', port: engine.port, idleMs: 60_000, ...options })
  t.teardown(() => upstream.close(SHUT))
  return { engine, upstream }
}

/** Leaves one idle connection that has carried an answer. */
const warm = async ({ engine, upstream }: Rig): Promise<Wire> => {
  const recorder = createRecorder()
  upstream.forward(get('/warm'), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  return wire
}

/** A whole exchange beside the one under test: when it is over, the event loop has gone round many times. */
const otherExchange = async ({ engine, upstream }: Rig): Promise<void> => {
  const before = engine.wires.length
  const recorder = createRecorder()
  upstream.forward(get('/other'), recorder)
  const wire = await engine.wire(before + 1)
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')
  await recorder.over()
}

const REFUSALS = {
  'closed without a word': (wire: Wire) => wire.socket.end(),
  reset: (wire: Wire) => wire.socket.resetAndDestroy(),
}

for (const [name, refuse] of Object.entries(REFUSALS)) {
  t.test(`a used connection that is ${name} is replaced once, and the request is sent whole again`, async (t) => {
    const it = await rig(t)
    const used = await warm(it)
    const recorder = createRecorder()
    it.upstream.forward(post('{"model":"a"}', ['X-A', 'b']), recorder)
    await used.request(2)
    refuse(used)
    const fresh = await it.engine.wire(2)
    await fresh.until((received) => received.endsWith('{"model":"a"}'), 'the body again')
    t.match(fresh.received(), /^POST \/v1\/chat\/completions HTTP\/1\.1\r\n[^]*\r\nX-A: b\r\n/)
    t.equal(fresh.received().match(/\{"model":"a"\}/g)?.length, 1)
    fresh.send(OK)
    await recorder.over()
    t.same(recorder.events, ['head 200', 'data 2', 'end'], 'the handler noticed nothing')
  })

  t.test(`a fresh connection that is ${name} is not retried`, async (t) => {
    const it = await rig(t)
    const recorder = createRecorder()
    it.upstream.forward(post('{}'), recorder)
    const wire = await it.engine.wire(1)
    await wire.request()
    refuse(wire)
    await recorder.over()
    t.same(recorder.events, ['error upstream_unreachable'])
    t.equal(recorder.failures[0]?.answered, false)
    t.match(recorder.failures[0]?.failure.message, /127\.0\.0\.1:\d+ (closed|reset) the connection before any answer/)
    await otherExchange(it)
    t.equal(it.engine.wires.length, 2, 'no connection but that of the other exchange')
  })
}

t.test('the second try is the last', async (t) => {
  const it = await rig(t)
  const used = await warm(it)
  const recorder = createRecorder()
  it.upstream.forward(post('{}'), recorder)
  await used.request(2)
  used.socket.resetAndDestroy()
  const fresh = await it.engine.wire(2)
  await fresh.request()
  fresh.socket.resetAndDestroy()
  await recorder.over()
  t.same(recorder.events, ['error upstream_unreachable'])
  await otherExchange(it)
  t.equal(it.engine.wires.length, 3)
})

t.test('one byte of an answer forbids a second try', async (t) => {
  const it = await rig(t)
  const used = await warm(it)
  const recorder = createRecorder()
  it.upstream.forward(post('{}'), recorder)
  await used.request(2)
  used.socket.end('H')
  await recorder.over()
  t.same(recorder.events, ['error upstream_died'])
  t.equal(recorder.failures[0]?.answered, true)
})

t.test('an abort while the second try is on its way reaches the fresh connection', async (t) => {
  const it = await rig(t)
  const used = await warm(it)
  const recorder = createRecorder()
  const forwarding = it.upstream.forward(post('{}'), recorder)
  await used.request(2)
  used.socket.resetAndDestroy()
  const fresh = await it.engine.wire(2)
  await fresh.request()
  forwarding.abort()
  await fresh.closed()
  t.same(recorder.events, [])
})

const CUT_SHORT = {
  'in the head': 'HTTP/1.1 200 OK\r\nContent-Le',
  'in a body with Content-Length': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell',
  'in a chunk': `${STREAM}5\r\nhell`,
  'between chunks': `${STREAM}1\r\na\r\n`,
  'before the last line': `${STREAM}0\r\n`,
}

t.test('an answer that ends too early is upstream_died', async (t) => {
  for (const [name, answer] of Object.entries(CUT_SHORT)) {
    const { engine, upstream } = await rig(t)
    const recorder = createRecorder()
    upstream.forward(get(), recorder)
    const wire = await engine.wire(1)
    await wire.request()
    wire.socket.end(answer)
    await recorder.over()
    t.equal(recorder.events.at(-1), 'error upstream_died', name)
    t.equal(recorder.failures[0]?.answered, true, name)
    t.match(recorder.failures[0]?.failure.message, /ended in the middle of its answer/, name)
  }
})

t.test('an answer without framing ends when the engine closes, and is broken when it resets', async (t) => {
  const { engine, upstream } = await rig(t)
  const [closed, reset] = [createRecorder(), createRecorder()]
  upstream.forward(get(), closed)
  const first = await engine.wire(1)
  await first.request()
  first.socket.end('HTTP/1.1 200 OK\r\n\r\nall of it')
  await closed.over()
  t.same(closed.events, ['head 200', 'data 9', 'end'])
  upstream.forward(get(), reset)
  const second = await engine.wire(2)
  await second.request()
  second.send('HTTP/1.1 200 OK\r\n\r\na part')
  await reset.until(() => reset.bytes() === 6, 'the part')
  second.socket.resetAndDestroy()
  await reset.over()
  t.equal(reset.events.at(-1), 'error upstream_died')
})

t.test('broken HTTP is upstream_died, says what is wrong and closes the connection', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  upstream.forward(get(), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n')
  await recorder.over()
  t.same(recorder.events, ['error upstream_died'])
  t.equal(recorder.failures[0]?.answered, true)
  t.match(recorder.failures[0]?.failure.message, /broken HTTP: both Content-Length and Transfer-Encoding/)
  await wire.closed()
})

t.test('a refused connection is upstream_unreachable', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const recorder = createRecorder()
  createUpstream({ host: '127.0.0.1', port }).forward(post('{}'), recorder)
  await recorder.over()
  t.same(recorder.events, ['error upstream_unreachable'])
  t.match(recorder.failures[0]?.failure.message, `127.0.0.1:${port} refused the connection`)
})

t.test('a connection that is not accepted in time is upstream_unreachable', async (t) => {
  const timers = createFakeTimers()
  const { upstream } = await rig(t, { timers })
  const recorder = createRecorder()
  upstream.forward(get(), recorder)
  timers.advance(4999)
  t.same(recorder.events, [])
  timers.advance(1)
  t.same(recorder.events, ['error upstream_unreachable'])
  t.match(recorder.failures[0]?.failure.message, /not accepted within 5000 ms/)
})

t.test('there is no deadline for the answer', async (t) => {
  const timers = createFakeTimers()
  const { engine, upstream } = await rig(t, { timers })
  const recorder = createRecorder()
  upstream.forward(get(), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  timers.advance(24 * 3600 * 1000)
  wire.send(OK)
  await recorder.over()
  t.same(recorder.events, ['head 200', 'data 2', 'end'])
})

t.test('abort closes the connection at once and nothing more is told', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  const forwarding = upstream.forward(get(), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(`${STREAM}1\r\na\r\n`)
  await recorder.until(() => recorder.bytes() === 1, 'the first chunk')
  forwarding.abort()
  forwarding.abort()
  forwarding.resume()
  t.equal(upstream.active(), 0)
  await wire.closed()
  t.same(recorder.events, ['head 200', 'data 1'])
})

t.test('abort works from inside every call, and nothing of the same read is told', async (t) => {
  for (const last of ['info 103', 'head 200', 'data 1']) {
    const { engine, upstream } = await rig(t)
    const recorder = createRecorder()
    const forwarding = upstream.forward(get(), recorder)
    recorder.hook = (event) => {
      if (event === last) forwarding.abort()
    }
    const wire = await engine.wire(1)
    await wire.request()
    wire.send(`HTTP/1.1 103 Hints\r\n\r\n${STREAM}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`)
    await wire.closed()
    t.equal(recorder.events.at(-1), last)
    t.equal(upstream.active(), 0)
  }
})

t.test('abort closes a connection that waits for its answer, and one that is paused', async (t) => {
  const { engine, upstream } = await rig(t)
  const [waiting, paused] = [createRecorder(), createRecorder()]
  paused.accept = false
  const first = upstream.forward(get(), waiting)
  const second = upstream.forward(get(), paused)
  const wires = [await engine.wire(1), await engine.wire(2)] as const
  await wires[0].request()
  await wires[1].request()
  first.abort()
  await wires[0].closed()
  wires[1].send(`${STREAM}1\r\na\r\n2\r\nbc\r\n`)
  await paused.until(() => paused.bytes() === 1, 'the first chunk')
  second.abort()
  await wires[1].closed()
  t.same(waiting.events, [])
  t.same(paused.events, ['head 200', 'data 1'])
  t.equal(upstream.active(), 0)
})

t.test('an abort inside onEnd leaves the connection to the next request', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  const forwarding = upstream.forward(get(), recorder)
  recorder.hook = (event) => {
    if (event === 'end') forwarding.abort()
  }
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  const next = createRecorder()
  upstream.forward(get(), next)
  await wire.request(2)
  wire.send(OK)
  await next.over()
  t.equal(next.text(), 'ok')
})

t.test('a handler that is full is told nothing, the engine has to wait, and nothing is lost', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  recorder.accept = false
  const forwarding = it.upstream.forward(get(), recorder)
  const wire = await it.engine.wire(1)
  await wire.request()
  // More than the kernel keeps for both ends.
  const bytes = 32 * 1024 * 1024
  wire.send(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`)
  wire.socket.write(Buffer.alloc(bytes, 7))
  await recorder.until(() => recorder.chunks.length === 1, 'the first part')
  await otherExchange(it)
  t.equal(recorder.chunks.length, 1)
  t.ok(wire.socket.writableLength > 0, 'the engine could not send all')
  forwarding.resume()
  await recorder.until(() => recorder.chunks.length === 2, 'one more part')
  await otherExchange(it)
  t.equal(recorder.chunks.length, 2)
  recorder.accept = true
  forwarding.resume()
  await recorder.over()
  t.equal(recorder.bytes(), bytes)
  t.ok(recorder.chunks.every((chunk) => chunk.every((byte) => byte === 7)))
  t.equal(recorder.events.at(-1), 'end')
})

t.test('frames of one read that came behind a pause are told after resume, one at a time', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  recorder.accept = false
  const forwarding = it.upstream.forward(get(), recorder)
  const wire = await it.engine.wire(1)
  await wire.request()
  wire.send(`${STREAM}1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\nX: y\r\n\r\n`)
  await recorder.until(() => recorder.bytes() === 1, 'the first chunk')
  forwarding.resume()
  t.same(recorder.events, ['head 200', 'data 1', 'data 2'])
  forwarding.resume()
  t.same(recorder.events, ['head 200', 'data 1', 'data 2', 'data 3'])
  forwarding.resume()
  await recorder.over()
  t.same(recorder.events, ['head 200', 'data 1', 'data 2', 'data 3', 'end'])
  t.same(recorder.trailers, ['X', 'y'])
})

t.test('a connection whose last part paused the handler is free again, and reads', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  recorder.accept = false
  it.upstream.forward(get(), recorder)
  const wire = await it.engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  const next = createRecorder()
  it.upstream.forward(get(), next)
  await wire.request(2)
  wire.send(OK)
  await next.over()
  t.equal(next.text(), 'ok')
})
