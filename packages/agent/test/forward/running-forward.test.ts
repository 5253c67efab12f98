import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createUpstream } from '../../src/forward/upstream.ts'
import { createFakeTimers } from './support/fake-timers.ts'
import { createRecorder } from './support/recorder.ts'
import { get, post, OK, STREAM } from './support/requests.ts'
import { rig } from './support/rig.ts'

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
