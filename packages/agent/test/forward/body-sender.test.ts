import type { Failure } from '@lswap/core'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { createUpstream } from '../../src/forward/upstream.ts'
import type { Upstream } from '../../src/forward/upstream.ts'
import { startEngine } from './support/engine.ts'
import type { Engine, Wire } from './support/engine.ts'
import { createRecorder } from './support/recorder.ts'
import { get, OK, upload } from './support/requests.ts'

const SHUT: Failure = { code: 'unloaded', message: 'the model was unloaded' }
const MIB = 1024 * 1024

interface Rig {
  readonly engine: Engine
  readonly upstream: Upstream
}

const rig = async (t: Test, { reads = true } = {}): Promise<Rig> => {
  const engine = await startEngine(t, { reads })
  const upstream = createUpstream({ host: '127.0.0.1', port: engine.port, idleMs: 60_000 })
  t.teardown(() => upstream.close(SHUT))
  return { engine, upstream }
}

const warm = async ({ engine, upstream }: Rig): Promise<Wire> => {
  const recorder = createRecorder()
  upstream.forward(get('/warm'), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  return wire
}

/** A body that the test hands out piece by piece. */
const source = (): Readable => new Readable({ read: () => {} })

const sha = (data: Buffer): string => createHash('sha256').update(data).digest('hex')

const bodyOf = (received: string): string => received.slice(received.indexOf('\r\n\r\n') + 4)

t.test('a body of known length follows what is held, byte for byte', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  upstream.forward(upload(rest, 11, [Buffer.from('hello ')]), recorder)
  const wire = await engine.wire(1)
  t.match(await wire.request(), '\r\nContent-Length: 11\r\n')
  await wire.until((received) => received.endsWith('hello '), 'what is held')
  rest.push('wor')
  await wire.until((received) => received.endsWith('hello wor'), 'a piece')
  rest.push('ld')
  rest.push(null)
  await wire.until((received) => bodyOf(received) === 'hello world', 'the end')
  wire.send(OK)
  await recorder.over()
  t.same(recorder.events, ['head 200', 'data 2', 'end'])
  await warmAgain({ engine, upstream }, wire)
  t.equal(engine.wires.length, 1, 'the connection is used again')
})

const warmAgain = async ({ upstream }: Rig, wire: Wire): Promise<void> => {
  const recorder = createRecorder()
  upstream.forward(get(), recorder)
  await wire.request(2)
  wire.send(OK)
  await recorder.over()
}

t.test('a body of unknown length goes out in chunks as it comes, with its trailers', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  const rest = Object.assign(source(), { rawTrailers: ['X-Sum', '9', 'Content-Length', '1'] })
  upstream.forward(upload(rest, undefined, [Buffer.from('a'), Buffer.from('b')]), recorder)
  const wire = await engine.wire(1)
  t.match(await wire.request(), '\r\nTransfer-Encoding: chunked\r\n')
  await wire.until((received) => bodyOf(received) === '2\r\nab\r\n', 'what is held')
  rest.push('x'.repeat(17))
  rest.push(null)
  const whole = `2\r\nab\r\n11\r\n${'x'.repeat(17)}\r\n0\r\nX-Sum: 9\r\n\r\n`
  await wire.until((received) => bodyOf(received) === whole, 'the end')
  wire.send(OK)
  await recorder.over()
  t.equal(recorder.events.at(-1), 'end')
})

t.test('a body that ended before it was forwarded is sent too', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  rest.push(null)
  for await (const _ of rest) t.fail('there is nothing in it')
  upstream.forward(upload(rest, undefined, [Buffer.from('all')]), recorder)
  const wire = await engine.wire(1)
  await wire.until((received) => bodyOf(received) === '3\r\nall\r\n0\r\n\r\n', 'the whole body')
  wire.send(OK)
  await recorder.over()
  t.equal(recorder.events.at(-1), 'end')
})

t.test('large bodies arrive whole, held or streamed', async (t) => {
  const bytes = Buffer.alloc(5 * MIB + 17)
  for (let i = 0; i < bytes.length; i += 4)
    bytes.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, Math.min(i, bytes.length - 4))
  const pieces = Array.from({ length: Math.ceil(bytes.length / 70_000) }, (_, i) =>
    bytes.subarray(i * 70_000, (i + 1) * 70_000),
  )
  const requests = {
    held: { ...upload(source(), bytes.length), body: { length: bytes.length, held: pieces, rest: undefined } },
    streamed: upload(Readable.from(pieces.slice(3)), bytes.length, pieces.slice(0, 3)),
  }
  for (const [name, request] of Object.entries(requests)) {
    const { engine, upstream } = await rig(t)
    const recorder = createRecorder()
    upstream.forward(request, recorder)
    const wire = await engine.wire(1)
    const head = await wire.request()
    await wire.untilBytes(head.length + bytes.length)
    t.equal(sha(Buffer.from(bodyOf(wire.received()), 'latin1')), sha(bytes), name)
    wire.send(OK)
    await recorder.over()
    t.equal(recorder.events.at(-1), 'end')
  }
})

t.test('no more is read from the client than the engine takes', async (t) => {
  const piece = Buffer.alloc(64 * 1024)
  const pieces = 512
  for (const length of [pieces * piece.length, undefined]) {
    const { engine, upstream } = await rig(t, { reads: false })
    const recorder = createRecorder()
    let given = 0
    const rest = new Readable({
      highWaterMark: piece.length,
      read() {
        given += 1
        this.push(given > pieces ? null : piece)
      },
    })
    upstream.forward(upload(rest, length), recorder)
    const wire = await engine.wire(1)
    // Other connections are made and answered meanwhile: that takes many turns of the event loop.
    for (let i = 0; i < 20; i += 1) await otherExchange({ engine, upstream }, i + 2)
    t.ok(given < pieces, `${given} of ${pieces} pieces were read`)
    t.ok(rest.isPaused())
    wire.socket.resume()
    await wire.untilBytes((await wire.request()).length + pieces * piece.length)
    wire.send(OK)
    await recorder.over()
    t.equal(recorder.events.at(-1), 'end')
  }
})

const otherExchange = async ({ engine, upstream }: Rig, n: number): Promise<void> => {
  const recorder = createRecorder()
  upstream.forward(get(), recorder)
  const wire = await engine.wire(n)
  wire.socket.resume()
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  await recorder.over()
}

t.test('an engine that refuses before it has read all is heard, and gets no more', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  it.upstream.forward(upload(rest, MIB, [Buffer.from('a')]), recorder)
  const wire = await it.engine.wire(1)
  await wire.until((received) => received.endsWith('\r\n\r\na'), 'what is held')
  wire.send('HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nno')
  await recorder.until(() => recorder.events.includes('head 413'), 'the head')
  rest.push('never sent')
  t.ok(rest.isPaused(), 'what is unread stays there')
  wire.send('!!')
  await recorder.over()
  t.equal(recorder.text(), 'no!!')
  t.equal(recorder.events.at(-1), 'end')
  await wire.closed()
  t.notMatch(wire.received(), 'never sent')
  rest.destroy(new Error('a late error of the client is nobody’s problem'))
})

t.test('an engine that accepts early still gets the rest', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  it.upstream.forward(upload(rest, 2), recorder)
  const wire = await it.engine.wire(1)
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no')
  await recorder.until(() => recorder.bytes() === 1, 'the first half')
  rest.push('ab')
  rest.push(null)
  await wire.until((received) => bodyOf(received) === 'ab', 'the rest')
  wire.send('k')
  await recorder.over()
  t.equal(recorder.text(), 'ok')
})

t.test('a connection whose answer came before the body was sent is not used again', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  it.upstream.forward(upload(rest, 2), recorder)
  const wire = await it.engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  t.equal(recorder.events.at(-1), 'end')
  await wire.closed()
  t.ok(rest.isPaused())
})

t.test('a connection whose engine answered without reading a held body is not used again', async (t) => {
  const { engine, upstream } = await rig(t, { reads: false })
  const recorder = createRecorder()
  const bytes = 32 * MIB
  const body = { length: bytes, held: [Buffer.alloc(bytes)], rest: undefined }
  upstream.forward({ ...upload(source(), bytes), body }, recorder)
  const wire = await engine.wire(1)
  wire.send('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno')
  await recorder.over()
  t.same(recorder.events, ['head 413', 'data 2', 'end'])
  await otherExchange({ engine, upstream }, 2)
  t.equal(engine.wires.length, 2)
})

t.test('a client whose body ends short, breaks or is too long ends the exchange at both sides', async (t) => {
  const endings = {
    short: { act: (rest: Readable) => rest.push(null), code: 'cancelled' },
    broken: { act: (rest: Readable) => rest.destroy(new Error('gone')), code: 'cancelled' },
    closed: { act: (rest: Readable) => rest.destroy(), code: 'cancelled' },
    long: { act: (rest: Readable) => rest.push('abcdefghi'), code: 'invalid_request' },
  } as const
  for (const [name, { act, code }] of Object.entries(endings)) {
    const { engine, upstream } = await rig(t)
    const recorder = createRecorder()
    const rest = source()
    upstream.forward(upload(rest, 10, [Buffer.from('ab')]), recorder)
    const wire = await engine.wire(1)
    await wire.request()
    act(rest)
    await recorder.over()
    t.same(recorder.events, [`error ${code}`], name)
    t.equal(recorder.failures[0]?.answered, false, name)
    await wire.closed()
    t.notMatch(wire.received(), 'cdefghi', name)
  }
})

t.test('a client that had gone before the request was forwarded ends it', async (t) => {
  const { upstream } = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  rest.destroy()
  upstream.forward(upload(rest, 10), recorder)
  t.same(recorder.events, [])
  await recorder.over()
  t.same(recorder.events, ['error cancelled'])
})

t.test('what was streamed through a connection that proves stale is sent again with the rest', async (t) => {
  for (const length of [6, undefined]) {
    const it = await rig(t)
    const used = await warm(it)
    const recorder = createRecorder()
    const rest = source()
    it.upstream.forward(upload(rest, length, [Buffer.from('ab')]), recorder)
    await used.request(2)
    rest.push('cd')
    await used.until((received) => received.includes('cd'), 'the first part')
    used.socket.resetAndDestroy()
    const fresh = await it.engine.wire(2)
    await fresh.until((received) => received.includes('cd'), 'the first part again')
    rest.push('ef')
    rest.push(null)
    const whole = length === undefined ? '4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n' : 'abcdef'
    await fresh.until((received) => bodyOf(received) === whole, 'the whole body')
    fresh.send(OK)
    await recorder.over()
    t.same(recorder.events, ['head 200', 'data 2', 'end'], String(length))
  }
})

t.test('a chunked body that had ended when the connection proved stale is sent again whole', async (t) => {
  const it = await rig(t)
  const used = await warm(it)
  const recorder = createRecorder()
  const rest = source()
  it.upstream.forward(upload(rest, undefined), recorder)
  await used.request(2)
  rest.push('abc')
  rest.push(null)
  await used.until((received) => received.endsWith('0\r\n\r\n'), 'the end of the body')
  used.socket.resetAndDestroy()
  const fresh = await it.engine.wire(2)
  await fresh.until((received) => bodyOf(received) === '3\r\nabc\r\n0\r\n\r\n', 'the whole body')
  fresh.send(OK)
  await recorder.over()
  t.same(recorder.events, ['head 200', 'data 2', 'end'])
})

t.test('an upload that is too long to be kept gets a fresh connection', async (t) => {
  const it = await rig(t)
  await warm(it)
  const recorder = createRecorder()
  it.upstream.forward(upload(Readable.from([Buffer.alloc(MIB + 1)]), MIB + 1), recorder)
  const fresh = await it.engine.wire(2)
  const head = await fresh.request()
  await fresh.untilBytes(head.length + MIB + 1)
  fresh.send(OK)
  await recorder.over()
  t.equal(recorder.events.at(-1), 'end')
})

t.test('a chunked body of which too much has gone is not sent a second time', async (t) => {
  const it = await rig(t)
  const used = await warm(it)
  const recorder = createRecorder()
  const rest = source()
  it.upstream.forward(upload(rest, undefined), recorder)
  await used.request(2)
  const before = used.receivedBytes()
  rest.push(Buffer.alloc(MIB + 1))
  await used.untilBytes(before + MIB + 1)
  used.socket.resetAndDestroy()
  await recorder.over()
  t.same(recorder.events, ['error upstream_unreachable'])
  t.equal(it.engine.wires.length, 1)
})

t.test('an abort stops reading from the client', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  const rest = source()
  const forwarding = upstream.forward(upload(rest, 10), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  forwarding.abort()
  t.ok(rest.isPaused())
  rest.push('abc')
  await wire.closed()
  t.same(recorder.events, [])
  t.notMatch(wire.received(), 'abc')
})
