import { Readable } from 'node:stream'
import t from 'tap'
import type { Wire } from './support/engine.ts'
import { createRecorder } from './support/recorder.ts'
import { post, upload, OK, source, bodyOf, MIB } from './support/requests.ts'
import { rig, warm, otherExchange } from './support/rig.ts'

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
