import t from 'tap'
import { createRecorder } from './support/recorder.ts'
import { get, OK, STREAM } from './support/requests.ts'
import { rig, otherExchange } from './support/rig.ts'

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
