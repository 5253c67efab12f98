import t from 'tap'
import type { ForwardRequest } from '../../src/forward/exchange.ts'
import { createRecorder, type Recorder } from './support/recorder.ts'
import { get, OK } from './support/requests.ts'
import { otherExchange, rig, SHUT, type Rig } from './support/rig.ts'

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-A: 1\r\n\r\n'

const upgrade = (...headers: readonly string[]): ForwardRequest => ({
  ...get('/ws'),
  headers: ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Key', 'k', ...headers],
  upgrade: true,
  passive: true,
})

/** An exchange up to its 101. */
const switched = async ({ engine, upstream }: Rig, rest = '', recorder: Recorder = createRecorder()) => {
  const forwarding = upstream.forward(upgrade(), recorder)
  const wire = await engine.wire(engine.wires.length + 1)
  const head = await wire.request()
  wire.send(SWITCH + rest)
  await recorder.until(() => recorder.events.length > 0, 'the 101')
  return { forwarding, wire, recorder, head }
}

t.test('an upgrade goes to the engine with its fields, and the 101 comes back with all of its own', async (t) => {
  const it = await rig(t)
  const { head, recorder } = await switched(it)
  t.match(head, /\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n$/)
  t.equal(head.match(/connection:/gi)?.length, 1)
  t.same(recorder.events, ['switched 101'])
  t.same(recorder.heads[0]?.headers, ['Upgrade', 'websocket', 'Connection', 'Upgrade', 'X-A', '1'])
})

t.test('without being asked to switch, a 101 is broken HTTP', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  it.upstream.forward({ ...upgrade(), upgrade: false }, recorder)
  const wire = await it.engine.wire(1)
  t.notMatch(await wire.request(), /upgrade/i)
  wire.send(SWITCH)
  await recorder.over()
  t.match(recorder.failures, [{ failure: { code: 'upstream_died', message: /which nobody asked for/ } }])
})

t.test('bytes go both ways as they are, those right behind the 101 first', async (t) => {
  const it = await rig(t)
  const { forwarding, wire, recorder } = await switched(it, 'HTTP/1.1 ')
  wire.send('200 OK\r\n\r\n')
  await recorder.until(() => recorder.text() === 'HTTP/1.1 200 OK\r\n\r\n', 'bytes that look like an answer')
  const before = wire.receivedBytes()
  t.equal(forwarding.write(Buffer.from('\0client')), true)
  await wire.untilBytes(before + 7)
  t.ok(wire.received().endsWith('\0client'))
})

t.test('each way ends by itself, and the exchange with the second', async (t) => {
  const it = await rig(t)
  const first = await switched(it)
  first.wire.socket.end('last words')
  await first.recorder.over()
  t.same(first.recorder.events, ['switched 101', 'data 10', 'end'])
  const before = first.wire.receivedBytes()
  first.forwarding.write(Buffer.from('still here'))
  await first.wire.untilBytes(before + 10)
  first.forwarding.end()
  await first.wire.closed()

  const second = await switched(it)
  second.wire.socket.allowHalfOpen = true
  second.forwarding.end()
  await second.wire.closed()
  second.wire.send('and me')
  await second.recorder.until(() => second.recorder.text() === 'and me', 'what came after the client had ended')
  second.wire.socket.end()
  await second.recorder.over()
  t.equal(second.recorder.events.at(-1), 'end')
  await otherExchange(it)
  t.same(
    [first, second].flatMap(({ recorder }) => recorder.failures),
    [],
  )
})

t.test('a handler that is full holds up the engine, one that is not read holds up the client', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  recorder.accept = false
  const { forwarding, wire } = await switched(it, '', recorder)
  const bytes = 32 * 1024 * 1024
  wire.socket.write(Buffer.alloc(bytes, 7))
  await recorder.until(() => recorder.bytes() > 0, 'a part')
  const got = recorder.bytes()
  await otherExchange(it)
  t.equal(recorder.bytes(), got, 'no more until resume')
  t.ok(wire.socket.writableLength > 0)
  recorder.accept = true
  forwarding.resume()
  await recorder.until(() => recorder.bytes() === bytes, 'the rest')

  wire.socket.pause()
  let written = 0
  while (forwarding.write(Buffer.alloc(65_536, 1))) written += 65_536
  written += 65_536
  t.notOk(recorder.events.includes('drain'))
  const before = wire.receivedBytes()
  wire.socket.resume()
  await recorder.until(() => recorder.events.includes('drain'), 'drain')
  await wire.untilBytes(before + written)
})

t.test('an engine that resets is told; one that is given up has its socket closed at once', async (t) => {
  const it = await rig(t)
  const reset = await switched(it)
  reset.wire.socket.resetAndDestroy()
  await reset.recorder.over()
  t.match(reset.recorder.failures, [{ failure: { code: 'upstream_died' }, answered: true }])
  const left = await switched(it)
  left.forwarding.abort()
  await left.wire.closed()
  t.same(left.recorder.events, ['switched 101'])
})

t.test('an upgrade that is refused is an answer like others', async (t) => {
  const it = await rig(t)
  const recorder = createRecorder()
  it.upstream.forward(upgrade(), recorder)
  const wire = await it.engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  t.same(recorder.events, ['head 200', 'data 2', 'end'])
})

t.test('what is passive keeps no stop waiting: it is cut, and others go on', async (t) => {
  const it = await rig(t)
  const { wire, recorder } = await switched(it)
  const page = createRecorder()
  it.upstream.forward({ ...get('/page'), passive: true }, page)
  const pageWire = await it.engine.wire(2)
  await pageWire.request()
  t.equal(it.upstream.active(), 0)
  await it.upstream.drained()
  const other = createRecorder()
  it.upstream.forward(get(), other)
  const otherWire = await it.engine.wire(3)
  await otherWire.request()
  it.upstream.cutPassive(SHUT)
  await Promise.all([wire.closed(), pageWire.closed()])
  t.match(recorder.failures, [{ failure: SHUT, answered: true }])
  t.match(page.failures, [{ failure: SHUT, answered: false }])
  otherWire.send(OK.replace('\r\n', '\r\nConnection: close\r\n'))
  await other.over()
  t.equal(other.text(), 'ok')
  const last = await switched(it)
  it.upstream.close(SHUT)
  await last.wire.closed()
  t.match(last.recorder.failures, [{ failure: SHUT }])
})
