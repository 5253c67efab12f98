import { epoch, generation, type Failure } from '@lswap/core'
import { Readable } from 'node:stream'
import t from 'tap'
import { createRecorder } from '../forward/support/recorder.ts'
import { A, B, HOST, hostDouble, NO_TIME, remoteOf, serverOf, until } from './support/host.ts'

const MIB = 1024 * 1024
const crashed: Failure = { code: 'upstream_died', message: 'it crashed' }
const ready = (number: number) =>
  ({ outcome: 'ready', epoch: epoch(number), slots: 3, evictions: [], timings: NO_TIME }) as const
const get = (path: string) => ({
  method: 'GET',
  path,
  headers: [],
  body: { length: undefined, held: [], rest: undefined },
})

t.test('a swap goes to the agent once, tells how far it is, and ends in one result', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
  const progress: unknown[] = []
  const order = { generation: generation(7), model: A, host: HOST, evict: [B] }
  const result = remote.swap(order, (step) => progress.push(step))
  const swap = await until('the agent has the swap', () => double.asked.swaps.get(A))
  t.same(swap.evict, [B])
  swap.progress({ type: 'stopping', models: [B] })
  swap.progress({ type: 'waiting-memory' })
  swap.progress({ type: 'spawned', pid: 5 })
  swap.progress({ type: 'loading', fraction: 0.5 })
  const again = remote.swap(order)
  swap.end(ready(1))
  t.same(await again, await result, 'the same order is one')
  t.match(await result, { outcome: 'ready', epoch: 1, slots: 3 })
  t.same(
    progress.map((step) => (step as { type: string }).type),
    ['stopping', 'waiting-memory', 'spawned', 'loading'],
  )
  t.equal(double.asked.swapCount, 1)
})

t.test('an aborted swap ends as its agent says, and a stop tells what became of each model', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
  const result = remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  await until('the agent has the swap', () => double.asked.swaps.get(A))
  remote.abort(generation(1))
  t.match(await result, { outcome: 'aborted' })
  const outcomes = await remote.stop({ generation: generation(2), models: [A, B], drainMs: 'never' })
  t.same(outcomes, [
    { placement: { host: HOST, model: A }, outcome: 'stopped' },
    { placement: { host: HOST, model: B }, outcome: 'stopped' },
  ])
  t.equal(double.asked.stops[0]?.drainMs, 'never')
})

t.test('an abort that overtakes its swap ends it as aborted, and nothing is started', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
  const result = remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  remote.abort(generation(1))
  t.match(await result, { outcome: 'aborted' })
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
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
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
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
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
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
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
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
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

t.test('a request whose process has ended is refused after the event of its end', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote, events } = remoteOf(t, url)
  await remote.tried
  await until('the host is there', () => events.some(({ type }) => type === 'host-returned'))
  const told = createRecorder()
  const order: string[] = []
  remote.subscribe(({ type }) => order.push(type))
  told.hook = (event) => order.push(event)
  double.crash(A, 1, crashed)
  remote.forward({ model: A, host: HOST }, epoch(1), get('/'), told)
  await told.over()
  t.same(order, ['process-exited', 'error upstream_unreachable'])
  t.equal(told.failures[0]?.answered, false)
})

t.test('a process whose end was told is not ready in a list that is older', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote, events } = remoteOf(t, url)
  await until('the host is there', () => events.some(({ type }) => type === 'host-returned'))
  double.crash(A, 1, crashed)
  await until('the end was told', () => events.some(({ type }) => type === 'process-exited'))
  double.ready(A, 1)
  t.same(await remote.processes(), [])
  double.ready(A, 2)
  t.equal((await remote.processes())[0]?.epoch, 2)
})

t.test('an end that was told before the swap said ready is told again behind it', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote, events } = remoteOf(t, url)
  await until('the host is there', () => events.some(({ type }) => type === 'host-returned'))
  const result = remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  const swap = await until('the agent has the swap', () => double.asked.swaps.get(A))
  double.crash(A, 1, crashed)
  await until('the end was told', () => events.some(({ type }) => type === 'process-exited'))
  swap.end(ready(1))
  await result
  await until('and again', () => events.filter(({ type }) => type === 'process-exited').length === 2)
  t.pass('twice')
})

t.test('logs come whole and as they grow', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote } = remoteOf(t, url)
  await remote.tried
  t.same(await remote.logs(A, 2), ['two', `of ${A}`])
  let text = ''
  const following = remote.followLogs(A, { tail: 0, onText: (more) => (text += more) })
  await until('what comes', () => text === 'followed\n')
  following.stop()
  t.same(remote.models(), [A, B])
})
