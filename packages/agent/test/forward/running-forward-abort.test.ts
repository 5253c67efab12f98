import t from 'tap'
import { createRecorder } from './support/recorder.ts'
import { get, upload, OK, source, STREAM } from './support/requests.ts'
import { rig } from './support/rig.ts'

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
