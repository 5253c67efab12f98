import { epoch, generation, type Failure } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import t from 'tap'
import type { AgentEvent } from '../../src/agent.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'
import { createRecorder } from '../forward/support/recorder.ts'
import { get } from '../forward/support/requests.ts'
import { breath, gateTo, otherProtocol as other } from './support/gate.ts'
import { A, B, call, HOST, hostDouble, remoteOf, serverOf, until } from './support/host.ts'
import { count, up, lost } from './support/watched.ts'

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type)

t.test('an agent that is not there is told at once, and taken when it comes', async (t) => {
  const double = await hostDouble(t)
  const first = await serverOf(t, double)
  await first.kill()
  const watched = remoteOf(t, first.url)
  await watched.remote.tried
  t.match(watched.remote.failure(), { code: 'host_unreachable', message: /refuses connections/ })
  await t.rejects(watched.remote.processes(), { code: 'host_unreachable' })
  t.equal(watched.remote.models(), undefined)
  await serverOf(t, double, { port: first.port })
  await up(watched)
  t.same(types(watched.events), ['models-changed', 'host-returned'])
  t.equal(watched.remote.failure(), undefined)
})

t.test('an agent that dies is lost at once, and its restart makes earlier processes gone', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const first = await serverOf(t, double)
  const timers = createFakeTimers()
  const watched = remoteOf(t, first.url, { timers })
  await up(watched)
  const [before] = await watched.remote.processes()
  await first.kill()
  // The clock stands still: it is not its silence that tells
  await lost(watched)
  await serverOf(t, double, { port: first.port })
  await until('it is taken again', () => {
    // From try to try, and never to the end of a try
    if (timers.nextInMs() <= 600) timers.advance(timers.nextInMs())
    return count(watched, 'host-returned') === 2
  })
  const [after] = await watched.remote.processes()
  t.equal(before?.epoch, 1)
  t.ok((after?.epoch ?? 0) > 1, 'the same number of another start is another process')
  const told = createRecorder()
  watched.remote.forward({ model: A, host: HOST }, epoch(1), get('/'), told)
  await told.over()
  t.match(told.failures[0], { answered: false, failure: { code: 'upstream_unreachable' } })
  t.equal(double.engine.wires.length, 0)
})

t.test('a host that says nothing for three seconds is lost, and back as soon as it answers', async (t) => {
  const timers = createFakeTimers()
  const double = await hostDouble(t)
  // Its own clock stands still: it measures nothing, which would be a sign of life
  const { url } = await serverOf(t, double, { timers: createFakeTimers() })
  let isSilent = false
  const gate = await gateTo(t, url, () => isSilent)
  const watched = remoteOf(t, gate.url, { timers })
  await up(watched)
  isSilent = true
  for (let ms = 0; ms < 2_750; ms += 250) {
    timers.advance(250)
    await breath()
  }
  t.equal(count(watched, 'host-lost'), 0, 'not before')
  for (let ms = 0; ms < 1_000; ms += 250) {
    timers.advance(250)
    await breath()
  }
  await lost(watched)
  t.match(watched.remote.failure(), { message: /nothing was heard .* 3 s/ })
  isSilent = false
  gate.release()
  await until('it is back', () => {
    timers.advance(50)
    return count(watched, 'host-returned') === 2
  })
  t.pass('back')
})

t.test('an answer that a lost host still gave does not bring it back', async (t) => {
  const timers = createFakeTimers()
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double, { timers: createFakeTimers() })
  let isSilent = false
  const gate = await gateTo(t, url, () => isSilent)
  const watched = remoteOf(t, gate.url, { timers })
  await up(watched)
  isSilent = true
  for (let ms = 0; ms < 2_500; ms += 250) timers.advance(250)
  const asked = watched.remote.processes()
  const refused = t.rejects(asked, { code: 'host_unreachable' })
  for (let ms = 0; ms < 1_000; ms += 250) timers.advance(250)
  await lost(watched)
  gate.release()
  await refused
})

t.test('bytes of a stream are signs of life', async (t) => {
  const timers = createFakeTimers()
  const double = await hostDouble(t)
  double.ready(A, 1)
  // Its own clock stands still: it measures nothing, which would be a sign of life
  const { url } = await serverOf(t, double, { timers: createFakeTimers() })
  let isSilent = false
  const gate = await gateTo(t, url, () => isSilent)
  const watched = remoteOf(t, gate.url, { timers })
  await up(watched)
  const told = createRecorder()
  watched.remote.forward({ model: A, host: HOST }, epoch(1), get('/stream'), told)
  const wire = await double.engine.wire(1)
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
  await told.until(() => told.events.length === 1, 'the head')
  isSilent = true
  for (let ms = 0; ms < 9_000; ms += 500) {
    const before = told.bytes()
    wire.send('1\r\nx\r\n')
    await told.until(() => told.bytes() > before, 'a byte')
    timers.advance(250)
    timers.advance(250)
    await breath()
  }
  t.equal(count(watched, 'host-lost'), 0)
})

t.test('a stall of our own makes nobody silent', async (t) => {
  const timers = createFakeTimers()
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const watched = remoteOf(t, url, { timers })
  await up(watched)
  timers.skip(60_000)
  timers.advance(250)
  await breath()
  timers.advance(250)
  await breath()
  t.equal(count(watched, 'host-lost'), 0)
})

t.test('events that came while the connection was broken are told, each once', async (t) => {
  const double = await hostDouble(t)
  const crash: Failure = { code: 'upstream_died', message: 'crash' }
  const { url } = await serverOf(t, double)
  const gate = await gateTo(t, url, () => false)
  const watched = remoteOf(t, gate.url)
  await up(watched)
  double.crash(A, 1, crash)
  await until('the first', () => count(watched, 'process-exited') === 1)
  gate.cut()
  double.crash(A, 2, crash)
  double.crash(B, 3, crash)
  await until('those that came meanwhile', () => count(watched, 'process-exited') === 3)
  double.crash(B, 4, crash)
  await until('and one more', () => count(watched, 'process-exited') >= 4)
  const epochs = watched.events.flatMap((event) => (event.type === 'process-exited' ? [event.epoch] : []))
  t.same(epochs, [1, 2, 3, 4])
  t.equal(count(watched, 'host-lost'), 0)
})

t.test('a router that was overtaken loses its hosts and never takes them back', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const first = remoteOf(t, url)
  await up(first)
  const second = remoteOf(t, url)
  await up(second)
  await lost(first)
  t.equal(first.remote.failure()?.code, 'fenced')
  const result = await first.remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  t.match(result, { outcome: 'failed', failure: { code: 'fenced' } })
  t.equal(double.asked.swapCount, 0)
  t.equal((await second.remote.processes())[0]?.epoch, 1, 'what runs is found, not loaded again')
  t.equal(second.remote.failure(), undefined)
})

t.test('a router that was overtaken while a host was out of its reach is told so, and why', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const gate = await gateTo(t, url, () => false)
  const first = remoteOf(t, gate.url)
  await up(first)
  gate.refuse(true)
  await lost(first)
  await up(remoteOf(t, url))
  gate.refuse(false)
  await until('it is told again', () => count(first, 'host-lost') === 2)
  t.match(first.events.at(-1), { type: 'host-lost', failure: { code: 'fenced', message: /another router/ } })
})

t.test('a wrong token is told as such', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url, { token: 'another-token-of-nobody-0123' })
  await remote.tried
  t.match(remote.failure(), { code: 'host_unreachable', message: /token/ })
})

t.test('an agent of another protocol is not used, and said', async (t) => {
  const { url } = await other(t)
  const { remote } = remoteOf(t, url)
  await remote.tried
  t.match(remote.failure(), { message: /version 2 of the protocol, this lswap version 1/ })
})

t.test('models that an agent gains are told', async (t) => {
  const double = await hostDouble(t)
  const { url, server } = await serverOf(t, double)
  const watched = remoteOf(t, url)
  await up(watched)
  double.models = [B]
  server.changed()
  await up(watched, 2)
  t.equal(count(watched, 'models-changed'), 2)
  t.same(watched.remote.models(), [B])
  t.equal((await call(url, '/v1/agent')).headers.get(AGENT_HEADERS.protocol), '1')
})

t.test('signs of life go over one connection, and a doubt over a new one', async (t) => {
  const double = await hostDouble(t)
  const gate = await gateTo(t, (await serverOf(t, double)).url, () => false)
  const timers = createFakeTimers()
  const watched = remoteOf(t, gate.url, { timers })
  await up(watched)
  const asked = (): number => gate.paths().filter((path) => path === '/v1/agent').length
  const beat = async (): Promise<void> => {
    const before = asked()
    timers.advance(1_000)
    await until('it was asked', () => asked() > before)
    await breath()
  }
  await beat()
  const opened = gate.connections()
  for (let beats = 0; beats < 4; beats += 1) await beat()
  t.equal(gate.connections(), opened)
  gate.cut()
  await until('it was looked into', () => gate.connections() > opened)
  t.equal(count(watched, 'host-lost'), 0)
})
