import tap from 'tap'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { answer, BODY, head, post } from './support/requests.ts'
import { dial, each, startWays, type Ways } from './support/ways.ts'

/** More than the system's buffers of both connections hold. */
const SIZE = 32 * 1024 * 1024
const PIECE = Buffer.alloc(64 * 1024, 'abcdefghijklmnopqrstuvwxyz')

interface Filling {
  /** Bytes given to the socket. */
  sent(): number
}

/** Writes as fast as the other side takes it. */
const fill = (socket: Socket): Filling => {
  let sent = 0
  const go = (): void => {
    while (sent < SIZE) {
      const piece = PIECE.subarray(0, Math.min(PIECE.length, SIZE - sent))
      sent += piece.length
      if (!socket.write(piece)) return
    }
  }
  socket.on('drain', go)
  go()
  return { sent: () => sent }
}

/** Resolves once the whole router was gone round several times and nothing was taken meanwhile. */
const stalled = async (ways: Ways, filling: Filling): Promise<number> => {
  let before = -1
  for (let quiet = 0; quiet < 5; quiet = filling.sent() === before ? quiet + 1 : 0) {
    before = filling.sent()
    await ways.goRound()
  }
  return before
}

/** Reads on and compares; what collected bytes so far would copy all of them again and again. */
const readAll = async (socket: Socket, alreadyRead: number): Promise<{ got: number; wrong: number }> => {
  let got = alreadyRead
  let wrong = 0
  socket.removeAllListeners('data')
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length;) {
      const place = (got + at) % PIECE.length
      const length = Math.min(PIECE.length - place, bytes.length - at)
      if (bytes.compare(PIECE, place, place + length, at, at + length) !== 0) wrong += 1
      at += length
    }
    got += bytes.length
    if (got >= SIZE) socket.emit('whole')
  })
  const whole = once(socket, 'whole', { signal: AbortSignal.timeout(60_000) })
  socket.resume()
  await whole
  return { got, wrong }
}

each('a client that does not read holds up the engine, and gets every byte once it reads', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  t.teardown(() => void client.socket.destroy())
  await client.send(post())
  const { wire } = await ways.engine.arrival(0)
  await wire.send(answer('200 OK', `Content-Length: ${SIZE}`))
  await client.until('the head', () => client.bytes().includes('\r\n\r\n'))
  client.socket.pause()
  const filling = fill(wire.socket)
  const sent = await stalled(ways, filling)
  t.ok(sent < SIZE, `${sent} of ${SIZE} bytes were taken from the engine`)
  const already = client.bytes().length - client.bytes().indexOf('\r\n\r\n') - 4
  t.same(await readAll(client.socket, already), { got: SIZE, wrong: 0 })
})

each('an engine that does not read holds up the client, and gets every byte once it reads', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  t.teardown(() => void client.socket.destroy())
  // What comes before the filling is JSON enough to find the model; the router reads no further
  const start = Buffer.from(BODY.replace('}', ',"pad":"'), 'latin1')
  await client.send(head(`Content-Length: ${start.length + SIZE}`))
  await client.send(start)
  const filling = fill(client.socket)
  const wire = await ways.engine.wire(0)
  await wire.until('the beginning', () => wire.bytes().includes(start))
  wire.socket.pause()
  const sent = await stalled(ways, filling)
  t.ok(sent < SIZE, `${sent} of ${SIZE} bytes were taken from the client`)
  const already = wire.bytes()
  const read = already.length - already.indexOf(start) - start.length
  t.same(await readAll(wire.socket, read), { got: SIZE, wrong: 0 })
})

for (const reader of ['plain', 'node:http'] as const)
  void tap.test(`an engine is held up by events that nobody reads, too (${reader})`, async (t) => {
    const ways = await startWays(t)
    const asked = request({ port: ways.ports.routed, path: '/v1/completions', method: 'POST' })
    t.teardown(() => void asked.destroy())
    // A body of chunks is node:http's to read
    if (reader === 'node:http') asked.write(BODY)
    asked.end(reader === 'plain' ? BODY : undefined)
    const { wire } = await ways.engine.arrival(0)
    await wire.send(answer('200 OK', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked'))
    const [res] = await once(asked, 'response')
    const event = Buffer.from(`400\r\n${'e'.repeat(1_024)}\r\n`)
    const events = SIZE / 1_024
    let sent = 0
    const go = (): void => {
      while (sent < events) {
        sent += 1
        if (!wire.socket.write(event)) return
      }
      wire.socket.end('0\r\n\r\n')
    }
    wire.socket.on('drain', go)
    go()
    const before = await stalled(ways, { sent: () => sent })
    t.ok(before < events, `${before} of ${events} events were taken from the engine`)
    let got = 0
    res.on('data', (bytes: Buffer) => (got += bytes.length))
    await once(res, 'end', { signal: AbortSignal.timeout(20_000) })
    t.equal(got, SIZE)
  })
