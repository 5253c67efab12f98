import { epoch } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import { Readable } from 'node:stream'
import t from 'tap'
import { createForwards } from '../../src/client/forwards.ts'
import { createUpstream } from '../../src/forward/upstream.ts'
import { startEngine } from '../forward/support/engine.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'
import { createRecorder } from '../forward/support/recorder.ts'
import { get, MIB } from '../forward/support/requests.ts'
import { breath } from './support/gate.ts'
import { A, call, HOST, hostDouble, remoteOf, serverOf, until } from './support/host.ts'
import { linked } from './support/watched.ts'

t.test('what an agent refuses is told once the event before it was, and not sooner', async (t) => {
  const agent = await startEngine(t)
  const asked: number[] = []
  const told = createRecorder()
  let reach: (() => void) | undefined
  const forwards = createForwards({
    connect: () => createUpstream({ host: '127.0.0.1', port: agent.port }),
    onHeard: () => {},
    onBroken: async () => {},
    onFenced: () => {},
    reached: (event) =>
      new Promise((resolve) => {
        asked.push(event)
        reach = resolve
      }),
    failure: () => undefined,
    redact: (text) => text,
    left: () => {},
  })
  forwards.forward(get('/'), told)
  const wire = await agent.wire(1)
  await wire.request()
  const failure = encodeURIComponent(JSON.stringify({ code: 'upstream_unreachable', message: 'gone' }))
  wire.send(
    `HTTP/1.1 502 Bad\r\n${AGENT_HEADERS.failure}: ${failure}\r\n${AGENT_HEADERS.event}: 7\r\nContent-Length: 0\r\n\r\n`,
  )
  const go = await until('the event is waited for', () => reach)
  await breath()
  t.same(asked, [7])
  t.same(told.events, [])
  go()
  await told.over()
  t.match(told.failures[0], { answered: false, failure: { code: 'upstream_unreachable', message: 'gone' } })
  forwards.close({ code: 'shutting_down', message: 'over' })
})

t.test('a request that is refused for another router loses the host first', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  // Its clock stands still: no look of its own finds it out
  const { remote, events } = remoteOf(t, url, { timers: createFakeTimers() })
  await remote.tried
  await call(url, '/v1/claim', { body: { claimant: 'another' } })
  const told = createRecorder()
  remote.subscribe(({ type }) => (type === 'host-lost' ? told.events.push('the host is lost') : undefined))
  remote.forward({ model: A, host: HOST }, epoch(1), get('/'), told)
  await told.over()
  t.same(told.events, ['the host is lost', 'error fenced'])
  t.match(events.at(-1), { type: 'host-lost', failure: { code: 'fenced' } })
})

t.test('a request goes to the engine byte by byte, without what router and agent say to each other', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 4)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  const [view] = await remote.processes()
  t.match(view, { model: A, phase: 'ready', epoch: 4 })
  const told = createRecorder()
  const body = Buffer.from('{"model":"x"}')
  remote.forward(
    { model: A, host: HOST },
    epoch(4),
    {
      method: 'POST',
      path: '/v1/chat/completions?a=%20b',
      headers: ['X-Odd', '1', 'x-odd', '2', 'Content-Type', 'application/json'],
      body: { length: body.length, held: [body], rest: undefined },
    },
    told,
  )
  const wire = await double.engine.wire(1)
  const head = await wire.request()
  t.match(head, /^POST \/v1\/chat\/completions\?a=%20b HTTP\/1\.1\r\n/)
  t.match(head, /X-Odd: 1\r\nx-odd: 2\r\nContent-Type: application\/json\r\n/)
  t.notMatch(head, /x-lswap-agent/i, 'no word between router and agent')
  wire.send(
    'HTTP/1.1 200 Fine\r\nX-Mine: a\r\nX-Mine: b\r\nContent-Length: 5\r\nx-lswap-agent-failure: no\r\n\r\nhello',
  )
  await told.over()
  t.same(told.events, ['head 200', 'data 5', 'end'])
  t.equal(told.heads[0]?.reason, 'Fine')
  t.equal(told.heads[0]?.length, 5)
  t.same(
    told.heads[0]?.headers.filter((_, at, all) => all[at - (at % 2)] === 'X-Mine'),
    ['X-Mine', 'a', 'X-Mine', 'b'],
  )
  t.notMatch(told.heads[0]?.headers.join(), /lswap|date|keep-alive/i)
})

t.test('chunks of a stream come as the engine sends them, with its trailers', async (t) => {
  const { double, remote } = await linked(t, 1)
  const told = createRecorder()
  remote.forward({ model: A, host: HOST }, epoch(1), get('/stream'), told)
  const wire = await double.engine.wire(1)
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n')
  await told.until(() => told.text() === 'one', 'the first chunk')
  wire.send('3\r\ntwo\r\n0\r\nX-End: yes\r\n\r\n')
  await told.over()
  t.equal(told.text(), 'onetwo')
  t.same(told.trailers, ['X-End', 'yes'])
})

t.test('a client that leaves closes the connection to the engine, through the agent', async (t) => {
  const { double, remote } = await linked(t, 1)
  const told = createRecorder()
  const forwarding = remote.forward({ model: A, host: HOST }, epoch(1), get('/slow'), told)
  const wire = await double.engine.wire(1)
  await wire.request()
  forwarding.abort()
  await wire.closed()
  t.same(told.events, [])
})

t.test('a client that leaves while an engine takes nothing of its body is known to the agent', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const aborted: string[] = []
  const forward = double.agent.forward.bind(double.agent)
  double.agent.forward = (placement, number, request, handler) => {
    const forwarding = forward(placement, number, request, handler)
    const abort = (): void => {
      aborted.push(request.path)
      forwarding.abort()
    }
    return {
      abort,
      resume: () => forwarding.resume(),
      write: (chunk) => forwarding.write(chunk),
      end: () => forwarding.end(),
    }
  }
  const { url, server } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
  let sent = 0
  const rest = new Readable({
    read() {
      sent += MIB
      this.push(Buffer.alloc(MIB))
    },
  })
  t.teardown(() => rest.destroy())
  const upload = { ...get('/upload'), method: 'POST', body: { length: 1024 * MIB, held: [], rest } }
  const told = createRecorder()
  const forwarding = remote.forward({ model: A, host: HOST }, epoch(1), upload, told)
  const wire = await double.engine.wire(1)
  const head = await wire.request()
  wire.socket.pause()
  t.notMatch(head, /lswap/i)
  let [before, same] = [0, 0]
  await until('every buffer on the way is full', () => {
    same = sent === before ? same + 1 : 0
    before = sent
    return same === 20
  })
  forwarding.abort()
  await until('the agent gives it up', () => aborted.length > 0)
  t.same(aborted, ['/upload'])
  t.equal(server.usage.all().isBusy, false)
  t.same(told.events, [])
})

t.test('after a switch of protocols bytes go both ways, and each way ends by itself', async (t) => {
  const { double, remote } = await linked(t, 1)
  const told = createRecorder()
  const headers = ['Connection', 'Upgrade', 'Upgrade', 'websocket']
  const forwarding = remote.forward({ model: A, host: HOST }, epoch(1), { ...get('/ws'), headers, upgrade: true }, told)
  const wire = await double.engine.wire(1)
  t.match(await wire.request(), /Upgrade: websocket/)
  wire.send('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhi')
  await told.until(() => told.text() === 'hi', 'the first bytes')
  t.equal(told.events[0], 'switched 101')
  forwarding.write(Buffer.from('there'))
  await wire.until((received) => received.endsWith('there'), 'bytes of the client')
  wire.send('bye')
  await told.until(() => told.text() === 'hibye', 'the last bytes')
  forwarding.end()
  await wire.closed()
  await told.over()
  t.equal(told.events.at(-1), 'end')
})

t.test('an engine that refuses to switch answers as any other', async (t) => {
  const { double, remote } = await linked(t, 1)
  const told = createRecorder()
  remote.forward(
    { model: A, host: HOST },
    epoch(1),
    { ...get('/ws'), headers: ['Upgrade', 'websocket'], upgrade: true },
    told,
  )
  const wire = await double.engine.wire(1)
  await wire.request()
  wire.send('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
  await told.over()
  t.same(told.events, ['head 403', 'data 2', 'end'])
})
