import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Wire } from './support/engine.ts'
import { createRecorder } from './support/recorder.ts'
import { get, upload, OK, source, bodyOf, MIB } from './support/requests.ts'
import { rig, otherExchange } from './support/rig.ts'
import type { Rig } from './support/rig.ts'

const sha = (data: Buffer): string => createHash('sha256').update(data).digest('hex')

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
    for (let i = 0; i < 20; i += 1) await otherExchange({ engine, upstream })
    t.ok(given < pieces, `${given} of ${pieces} pieces were read`)
    t.ok(rest.isPaused())
    wire.socket.resume()
    await wire.untilBytes((await wire.request()).length + pieces * piece.length)
    wire.send(OK)
    await recorder.over()
    t.equal(recorder.events.at(-1), 'end')
  }
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
