import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createStreams, type Stream } from '../../../src/router/answer/streams.ts'
import type { Call, Follower } from '../../../src/router/call.ts'
import { until } from '../support/ask.ts'

interface Pair {
  readonly call: Call
  readonly response: IncomingMessage
  readonly wasReset: () => boolean
}

/** A call over a real connection, as far as streams look at it. */
const serve = async (t: Tap, take: (call: Call) => void): Promise<() => Promise<Pair>> => {
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    let isReset = false
    const call = {
      req,
      res,
      method: req.method,
      follow: (follower: Follower) => void req.socket.once('close', () => follower.gone()),
      reset: () => {
        isReset = true
        req.socket.destroy()
      },
      wasReset: () => isReset,
    }
    calls.push(call as never)
    take(call as never)
  })
  const calls: (Call & { wasReset(): boolean })[] = []
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return async () => {
    const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false })
    sent.on('error', () => {})
    sent.end()
    const response = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
    response.on('error', () => {})
    const call = calls.at(-1)
    if (call === undefined) throw new Error('no call came')
    return { call, response, wasReset: () => call.wasReset() }
  }
}

interface Tap {
  teardown(end: () => void): void
}

t.test('a reader that takes nothing is cut before more than the bound waits for it', async (t) => {
  const streams = createStreams({ fail: () => {}, maxWaitingBytes: 256 * 1024 })
  let stream: Stream | undefined
  let left = 0
  const connect = await serve(t, (call) => {
    stream = streams.open(call, { contentType: 'text/plain', onLeave: () => (left += 1) })
  })
  const { call, wasReset } = await connect()
  const piece = Buffer.alloc(64 * 1024, 'x')
  let most = 0
  for (let count = 0; count < 1_000 && !wasReset(); count += 1) {
    stream?.send(piece)
    most = Math.max(most, call.res.writableLength)
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.ok(wasReset())
  // What frames a chunk comes on top
  t.ok(most <= 256 * 1024 + 1024, `${most} bytes waited`)
  t.equal(left, 1)
  stream?.send(piece)
  t.pass('sending on is ignored')
})

t.test('a first piece larger than the bound goes out', async (t) => {
  const streams = createStreams({ fail: () => {}, maxWaitingBytes: 1024 })
  let stream: Stream | undefined
  const connect = await serve(t, (call) => {
    stream = streams.open(call, { contentType: 'text/plain', onLeave: () => {} })
  })
  const { response, wasReset } = await connect()
  stream?.send(Buffer.alloc(100_000, 'x'))
  let size = 0
  response.on('data', (chunk: Buffer) => (size += chunk.length))
  await until('all is there', () => size === 100_000)
  t.notOk(wasReset())
})

t.test('a client that leaves is told once, one over the number is refused, and the end refuses all', async (t) => {
  const refused: string[] = []
  const streams = createStreams({
    fail: (call, { code }) => {
      refused.push(code)
      call.res.writeHead(503, {})
      call.res.end()
    },
    maxStreams: 1,
  })
  let left = 0
  const connect = await serve(t, (call) => {
    streams.open(call, { contentType: 'text/plain', onLeave: () => (left += 1) })
  })
  const first = await connect()
  const second = await connect()
  t.equal(second.response.statusCode, 503)
  first.response.destroy()
  await until('it left', () => left === 1)
  const third = await connect()
  t.equal(third.response.statusCode, 200)
  streams.close()
  await until('the stream ended', () => left === 2)
  third.response.resume()
  await connect()
  t.same(refused, ['resource_exhausted', 'shutting_down'])
})
