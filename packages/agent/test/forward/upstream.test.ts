import t from 'tap'
import { createFakeTimers } from './support/fake-timers.ts'
import { createRecorder } from './support/recorder.ts'
import type { Recorder } from './support/recorder.ts'
import { get, OK, post, source, upload } from './support/requests.ts'
import { rig, SHUT } from './support/rig.ts'
import type { Rig } from './support/rig.ts'

/** One exchange on the `n`th connection, of which it is the `nth` request, answered with `answer`. */
const exchange = async ({ engine, upstream }: Rig, answer: string, { wire = 1, nth = 1 } = {}): Promise<Recorder> => {
  const recorder = createRecorder()
  upstream.forward(get(), recorder)
  const connection = await engine.wire(wire)
  await connection.request(nth)
  connection.send(answer)
  await recorder.over()
  return recorder
}

t.test('tells head, body and end, and counts what runs', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  upstream.forward(post('{"model":"a"}'), recorder)
  t.equal(upstream.active(), 1)
  const wire = await engine.wire(1)
  await wire.until((received) => received.endsWith('{"model":"a"}'), 'the body')
  wire.send(OK)
  await recorder.over()
  t.same(recorder.events, ['head 200', 'data 2', 'end'])
  t.equal(recorder.text(), 'ok')
  t.equal(upstream.active(), 0)
})

t.test('uses a connection again after an answer with Content-Length or without a body', async (t) => {
  const it = await rig(t)
  await exchange(it, OK)
  await exchange(it, 'HTTP/1.1 204 No Content\r\n\r\n', { nth: 2 })
  await exchange(it, 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', { nth: 3 })
  await exchange(it, OK, { nth: 4 })
  t.equal(it.engine.wires.length, 1)
})

t.test('never uses a connection again after any other answer', async (t) => {
  const answers = {
    chunked: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    'Connection: close': 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
    'HTTP/1.0': 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'bytes behind the answer': `${OK}HTTP/1.1 200 OK\r\n`,
  }
  for (const [name, answer] of Object.entries(answers)) {
    const it = await rig(t)
    const first = await exchange(it, answer)
    t.equal(first.events.at(-1), 'end', name)
    await (await it.engine.wire(1)).closed()
    await exchange(it, OK, { wire: 2 })
    t.equal(it.engine.wires.length, 2, name)
  }
})

t.test('takes the connection that was used last', async (t) => {
  const it = await rig(t)
  const recorders = [createRecorder(), createRecorder()]
  for (const recorder of recorders) it.upstream.forward(get(), recorder)
  const first = await it.engine.wire(1)
  const second = await it.engine.wire(2)
  await Promise.all([first.request(), second.request()])
  second.send(OK)
  await Promise.race(recorders.map((recorder) => recorder.over()))
  first.send(OK)
  await Promise.all(recorders.map((recorder) => recorder.over()))
  await exchange(it, OK, { wire: 1, nth: 2 })
  await exchange(it, OK, { wire: 1, nth: 3 })
  t.equal(it.engine.wires.length, 2)
  t.equal((second.received().match(/GET/g) ?? []).length, 1)
})

t.test('a request made inside onEnd gets the connection that has just become free', async (t) => {
  const { engine, upstream } = await rig(t)
  const [first, second] = [createRecorder(), createRecorder()]
  first.hook = (event) => {
    if (event === 'end') upstream.forward(get('/second'), second)
  }
  upstream.forward(get(), first)
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(OK)
  t.match(await wire.request(2), /^GET \/second /)
  wire.send(OK)
  await second.over()
  t.equal(second.text(), 'ok')
  t.equal(engine.wires.length, 1)
})

t.test('closes a connection that lay idle for idleMs', async (t) => {
  const timers = createFakeTimers()
  const it = await rig(t, { timers, idleMs: 4000 })
  await exchange(it, OK)
  timers.advance(2000)
  await exchange(it, OK, { nth: 2 })
  timers.advance(3999)
  await exchange(it, OK, { nth: 3 })
  t.equal(it.engine.wires.length, 1, 'each use starts the time again')
  timers.advance(4000)
  await (await it.engine.wire(1)).closed()
  await exchange(it, OK, { wire: 2 })
  t.equal(it.engine.wires.length, 2)
})

t.test('does not use a connection that is too old, though the timer is late', async (t) => {
  const timers = createFakeTimers()
  const it = await rig(t, { timers, idleMs: 100 })
  await exchange(it, OK)
  timers.skip(100)
  await exchange(it, OK, { wire: 2 })
  t.equal(it.engine.wires.length, 2)
})

t.test('forgets an idle connection that the engine closes or talks on', async (t) => {
  for (const action of ['end', 'talk'] as const) {
    const it = await rig(t)
    await exchange(it, OK)
    const wire = await it.engine.wire(1)
    if (action === 'end') wire.socket.end()
    else wire.send('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n')
    await wire.closed()
    const next = await exchange(it, OK, { wire: 2 })
    t.same(next.events, ['head 200', 'data 2', 'end'], action)
  }
})

t.test('drained resolves when the last request is over, however it ends', async (t) => {
  const { engine, upstream } = await rig(t)
  await upstream.drained()
  const [ended, aborted] = [createRecorder(), createRecorder()]
  let isDrained = false
  upstream.forward(get(), ended)
  const forwarding = upstream.forward(get(), aborted)
  const drained = upstream.drained().then(() => {
    isDrained = true
    return upstream.active()
  })
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(OK)
  await ended.over()
  t.notOk(isDrained)
  t.equal(upstream.active(), 1)
  forwarding.abort()
  t.equal(await drained, 0)
})

t.test('close ends every request with its failure, closes every socket and refuses new requests', async (t) => {
  const it = await rig(t)
  const { engine, upstream } = it
  const [waiting, inBody] = [createRecorder(), createRecorder()]
  upstream.forward(get(), inBody)
  const first = await engine.wire(1)
  await first.request()
  first.send('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfive!')
  await inBody.until(() => inBody.bytes() === 5, 'a part of the body')
  await exchange(it, OK, { wire: 2 })
  const kept = await engine.wire(2)
  upstream.forward(get(), waiting)
  await kept.request(2)
  const idle = createRecorder()
  upstream.forward(get(), idle)
  const third = await engine.wire(3)
  await third.request()
  third.send(OK)
  await idle.over()

  upstream.close(SHUT)
  upstream.close({ code: 'internal', message: 'a second close changes nothing' })
  t.same(waiting.failures, [{ failure: SHUT, answered: false }])
  t.same(inBody.failures, [{ failure: SHUT, answered: true }])
  t.equal(upstream.active(), 0)
  await Promise.all([upstream.drained(), first.closed(), kept.closed(), third.closed()])

  const late = createRecorder()
  upstream.forward(get(), late)
  t.same(late.events, [], 'not from inside forward')
  await late.over()
  t.same(late.failures, [{ failure: SHUT, answered: false }])
  t.equal(engine.wires.length, 3)
})

t.test('a request to a closed upstream can still be given up', async (t) => {
  const { upstream } = await rig(t)
  upstream.close(SHUT)
  const [given, told] = [createRecorder(), createRecorder()]
  upstream.forward(get(), given).abort()
  upstream.forward(get(), told)
  await told.over()
  t.same(given.events, [])
})

t.test('passes bad requests back as invalid_request without touching the engine', async (t) => {
  const { engine, upstream } = await rig(t)
  const recorder = createRecorder()
  upstream.forward(get('/a b'), recorder)
  await recorder.over()
  t.same(recorder.events, ['error invalid_request'])
  t.equal(upstream.active(), 0)
  t.equal(engine.wires.length, 0)
})

t.test('with a limit a silent engine is given up; without one it may take as long as it takes', async (t) => {
  const timers = createFakeTimers()
  const limited = await rig(t, { timers, responseHeaderMs: 5_000 })
  const patient = await rig(t, { timers })
  const [given, waits] = [createRecorder(), createRecorder()]
  limited.upstream.forward(get(), given)
  patient.upstream.forward(get(), waits)
  await (await limited.engine.wire(1)).request()
  const wire = await patient.engine.wire(1)
  await wire.request()
  timers.advance(5_000)
  await given.over()
  t.match(given.failures[0]?.failure, { code: 'upstream_timeout', hint: /timeouts\.responseHeader/ })
  await (await limited.engine.wire(1)).closed()
  wire.send(OK)
  await waits.over()
  t.equal(waits.text(), 'ok')
})

t.test(
  'the limit is for the first byte: an answer that began is not cut, and a body on its way is not silence',
  async (t) => {
    const timers = createFakeTimers()
    const { engine, upstream } = await rig(t, { timers, responseHeaderMs: 5_000 })
    const body = source()
    const sent = createRecorder()
    upstream.forward(upload(body, 4), sent)
    const wire = await engine.wire(1)
    body.push('ab')
    await wire.until((received) => received.endsWith('ab'), 'the first half')
    timers.advance(5_000)
    body.push('cd')
    body.push(null)
    await wire.until((received) => received.endsWith('abcd'), 'all of it')
    timers.advance(4_999)
    wire.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no')
    await sent.until(() => sent.heads.length === 1, 'the head')
    timers.advance(50_000)
    wire.send('k')
    await sent.over()
    t.equal(sent.text(), 'ok')
  },
)
