import t from 'tap'
import { createRecorder } from './support/recorder.ts'
import { upload, OK, source, bodyOf, MIB } from './support/requests.ts'
import { rig, otherExchange } from './support/rig.ts'

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
  await otherExchange({ engine, upstream })
  t.equal(engine.wires.length, 2)
})
