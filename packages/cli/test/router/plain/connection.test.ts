import { createServer, type Socket } from 'node:net'
import t from 'tap'
import type { LiveCall } from '../../../src/router/live-call.ts'
import type { ClientResponse } from '../../../src/router/messages.ts'
import { createPlainConnections } from '../../../src/router/plain/connections.ts'
import { createSignal } from '../exactness/support/signal.ts'
import { answer, CHUNKED, dial, REQUEST, startServer } from './support/listener.ts'

t.test('a connection goes over to node:http with the first request that is not plain, and stays there', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  for (const [n, [request, isPlain]] of (
    [
      [REQUEST, true],
      [REQUEST, true],
      [CHUNKED, false],
      [REQUEST, false],
    ] as const
  ).entries()) {
    await wire.send(request)
    const taken = await nth(n)
    t.equal(taken.isPlain, isPlain)
    let body = ''
    taken.req.on('data', (chunk) => (body += chunk.toString()))
    await new Promise<void>((resolve) => {
      taken.req.on('end', resolve)
    })
    t.equal(body, 'abc')
    answer(taken.res, `answer ${n}`)
    await wire.until('the answer', () => wire.bytes().includes(`answer ${n}`))
  }
})

t.test('what comes before an answer waits for it', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  await wire.send(REQUEST)
  const first = await nth(0)
  await wire.send(REQUEST + CHUNKED)
  answer(first.res, 'one')
  const [second, third] = [await nth(1), await nth(2)]
  answer(third.res, 'three')
  answer(second.res, 'two')
  await wire.until('all', () => wire.bytes().includes('three'))
  t.match(wire.bytes().toString(), /one[^]*two[^]*three$/)
})

t.test('a body comes in its pieces, and not while nobody wants it', async (t) => {
  const { server, nth, signal } = startServer(t)
  const wire = await dial(t, server)
  await wire.send('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n')
  const { req, res } = await nth(0)
  let body = ''
  let isEnded = false
  req.on('data', (chunk) => {
    body += chunk.toString()
    req.pause()
    signal.happened()
  })
  req.on('end', () => {
    isEnded = true
    signal.happened()
  })
  await wire.send('ab')
  await signal.until('two', () => (body === 'ab' ? true : undefined))
  t.ok(req.isPaused())
  await wire.send('cdef')
  await new Promise(setImmediate)
  t.equal(body, 'ab')
  req.resume()
  await signal.until('the rest', () => (body === 'abcdef' ? true : undefined))
  t.ok(req.complete)
  t.notOk(isEnded, 'its end waits too')
  req.resume()
  await signal.until('its end', () => (isEnded ? true : undefined))
  answer(res, 'ok')
  await wire.until('the answer', () => wire.bytes().includes('ok'))
})

t.test('an answer that comes before its body: the rest is thrown away, and the next request is served', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  await wire.send('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')
  const first = await nth(0)
  first.req.pause()
  answer(first.res, 'early')
  await wire.until('the answer', () => wire.bytes().includes('early'))
  await wire.send('defghi')
  await wire.send(REQUEST)
  answer((await nth(1)).res, 'late')
  await wire.until('the answer', () => wire.bytes().includes('late'))
  t.equal(wire.ending(), undefined)
})

t.test('what came in pieces before an answer keeps its order behind it, also when it is read late', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  await wire.send(REQUEST)
  const first = await nth(0)
  const body = Buffer.alloc(300_000)
  for (let at = 0; at < body.length; at += 4) body.writeUInt32LE(at, at)
  await wire.send(`POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`)
  await wire.send(body.subarray(0, 100_000))
  while (!first.req.socket.isPaused()) await new Promise(setImmediate)
  await wire.send(body.subarray(100_000, 101_000))
  while (first.req.socket.readableLength === 0) await new Promise(setImmediate)
  answer(first.res, 'one')
  const { req, res } = await nth(1)
  await wire.send(body.subarray(101_000))
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  const chunks: Buffer[] = []
  req.on('data', (chunk) => void chunks.push(chunk))
  req.on('end', () => answer(res, 'two'))
  await wire.until('the answer', () => /two$|400/.test(wire.bytes().toString()))
  t.ok(Buffer.concat(chunks).equals(body))
})

t.test('nothing goes out behind the end of an answer: it would begin the next one', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  await wire.send(REQUEST)
  const { res } = await nth(0)
  answer(res, 'ok')
  t.equal(res.write('more'), false)
  await wire.send(REQUEST)
  answer((await nth(1)).res, 'two')
  await wire.until('the answer', () => wire.bytes().includes('two'))
  t.notMatch(wire.bytes().toString(), 'more')
})

t.test(
  'whoever ends its half behind a request sent ahead gets the answer that was written, and no other',
  async (t) => {
    const { server, nth, taken } = startServer(t)
    let handedOver = 0
    server.on('clientError', () => (handedOver += 1))
    const wire = await dial(t, server)
    // Not all of it finds room before the client ends
    wire.socket.pause()
    await wire.send(REQUEST)
    const { res } = await nth(0)
    const length = 32 * 1024 * 1024
    res.writeHead(200, { 'Content-Length': length })
    res.end(Buffer.alloc(length, 'x'))
    await wire.send(REQUEST)
    wire.socket.end()
    wire.socket.resume()
    t.equal(await wire.ended(), 'closed')
    t.ok(wire.bytes().length > length)
    t.equal(taken.length, 1)
    t.equal(handedOver, 0, "an ended connection is nobody else's")
  },
)

t.test('an answer is over once its last bytes were taken, also when its end brings none', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  await wire.send(REQUEST)
  answer((await nth(0)).res, 'short')
  await wire.until('the answer', () => wire.bytes().includes('short'))
  wire.socket.pause()
  await wire.send(REQUEST)
  const { res } = await nth(1)
  const length = 32 * 1024 * 1024
  res.writeHead(200, { 'Content-Length': length })
  const finished = new Promise<void>((resolve) => {
    res.on('finish', resolve)
  })
  t.equal(res.write(Buffer.alloc(length, 'x')), false)
  res.end()
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  t.equal(res.writableFinished, false)
  wire.socket.resume()
  await finished
  await wire.until('all of it', () => wire.bytes().length > length)
})

t.test('a client that leaves is told: by a reset, by its end, and behind what it sent ahead', async (t) => {
  const { server, nth, signal } = startServer(t)
  for (const [n, leave] of ['reset', 'end', 'ahead'].entries()) {
    const wire = await dial(t, server)
    await wire.send(REQUEST)
    const taken = await nth(n)
    if (leave === 'ahead') await wire.send(REQUEST)
    if (leave === 'reset') wire.socket.resetAndDestroy()
    else wire.socket.end()
    t.ok(await signal.until(leave, () => (taken.wentAway ? true : undefined)), leave)
  }
})

t.test('idle connections end when they are too old, or when the server closes; busy ones do not', async (t) => {
  const open = async (keepAliveMs: number, headersTimeoutMs: number) => {
    const refused: string[] = []
    const signal = createSignal()
    let last: ClientResponse | undefined
    const connections = createPlainConnections({
      mostHeaderBytes: 1_000,
      keepAliveMs,
      headersTimeoutMs,
      accept: (req, res) => {
        last = res
        signal.happened()
        return { call: { req, res, path: '/' }, gone: () => {} } as unknown as LiveCall
      },
      handOver: (socket) => socket.destroy(),
      refuse: (code, socket) => {
        refused.push(code)
        socket.destroy()
      },
      end: (socket) => void socket.destroy(),
      onStill: () => {},
    })
    let isThere = false
    const server = createServer((socket) => {
      connections.add(socket)
      isThere = true
      signal.happened()
    })
    const wire = await dial(t, server)
    t.teardown(() => void server.close())
    await signal.until('a connection', () => (isThere ? true : undefined))
    const ask = async (): Promise<ClientResponse> => {
      last = undefined
      await wire.send(REQUEST)
      return signal.until('a request', () => last)
    }
    return { connections, refused, wire, ask }
  }
  const silent = await open(60_000, 0)
  await silent.wire.until('it is there', () => {
    silent.connections.look()
    return silent.refused.length > 0
  })
  t.same(silent.refused, ['ERR_HTTP_REQUEST_TIMEOUT'])

  const old = await open(0, 60_000)
  const response = await old.ask()
  old.connections.look()
  old.connections.closeIdle()
  answer(response, 'ok')
  await old.wire.until('the answer', () => old.wire.bytes().includes('ok'))
  t.equal(old.wire.ending(), undefined, 'somebody waited for it')
  old.connections.look()
  t.equal(await old.wire.ended(), 'closed')

  const idle = await open(60_000, 60_000)
  answer(await idle.ask(), 'ok')
  await idle.wire.until('the answer', () => idle.wire.bytes().includes('ok'))
  idle.connections.look()
  t.equal(idle.wire.ending(), undefined)
  idle.connections.closeIdle()
  t.equal(await idle.wire.ended(), 'closed')
  t.same([...old.refused, ...idle.refused], [])
})

t.test(
  'a connection that is silent for as long as an answer may stall is kept for the time that was promised',
  async (t) => {
    const { server, nth } = startServer(t)
    const sockets: Socket[] = []
    server.on('connection', (socket: Socket) => sockets.push(socket))
    const wire = await dial(t, server)
    for (const n of [0, 1]) {
      await wire.send(REQUEST)
      answer((await nth(n)).res, `answer ${n}`)
      await wire.until('the answer', () => wire.bytes().includes(`answer ${n}`))
      sockets[0]?.emit('timeout')
    }
    t.equal(wire.ending(), undefined)
    t.equal(sockets[0]?.destroyed, false)
  },
)
