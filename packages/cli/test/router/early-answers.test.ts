import t from 'tap'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { CLIENTS, type Client } from './exactness/support/ways.ts'
import { tlsIdentity } from '../fixtures.ts'
import { startRig } from './support/rig.ts'
import { createVirtualClock } from './support/virtual-clock.ts'

const identity = tlsIdentity()
const MEGABYTE = 1_048_576
/** More than two systems hold between a client and a router that reads nothing. */
const LARGE = 16 * MEGABYTE

/** A client that reads nothing until it has sent everything, as many libraries do. */
const dial = async (port: number, how: Client): Promise<Socket> => {
  const plain = connect({ port, host: '127.0.0.1', noDelay: true })
  plain.on('error', () => {})
  await once(plain, 'connect')
  const socket = how === 'TLS' ? connectTls({ socket: plain, host: '127.0.0.1', ca: identity.cert }) : plain
  socket.on('error', () => {})
  if (how === 'TLS') await once(socket, 'secureConnect')
  // An empty line before a request makes the connection one that node:http reads
  if (how === 'node:http') socket.write('\r\n')
  return socket
}

/** Rejects where the other side does not take it. */
const send = (socket: Socket, bytes: string | Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()))
  })

/** What comes until the end, which must be an orderly one. */
const readAll = async (socket: Socket): Promise<string> => {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  await new Promise<void>((resolve, reject) => {
    socket.on('end', resolve)
    socket.on('close', () => reject(new Error(`no end, after ${JSON.stringify(text.slice(0, 200))}`)))
  })
  return text
}

const post = (fields: string, path = '/v1/chat/completions'): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n`

interface Case {
  readonly name: string
  readonly head: string
  readonly status: number
}

const CASES: readonly Case[] = [
  {
    name: 'the last of its connection, of a model that is not there',
    head: `${post(`Connection: close\r\nContent-Length: ${LARGE}`)}{"model":"nope",`,
    status: 404,
  },
  {
    name: 'of HTTP/1.0',
    head: `POST /nowhere HTTP/1.0\r\nHost: localhost\r\nContent-Length: ${LARGE}\r\n\r\n`,
    status: 404,
  },
  { name: 'a broken chunk', head: `${post('Transfer-Encoding: chunked')}xyz\r\n`, status: 400 },
  { name: 'a head that is no HTTP', head: 'POST / HTTP/1.1\r\nHost : localhost\r\n', status: 400 },
  { name: 'a head that is too large', head: 'POST / HTTP/1.1\r\nHost: localhost\r\nX: ', status: 431 },
  { name: 'several codings', head: post('Transfer-Encoding: gzip, chunked'), status: 400 },
  {
    name: 'an expectation that is not met',
    head: post(`Expect: 100-continue\r\nContent-Length: ${10 * LARGE}`),
    status: 413,
  },
  {
    name: 'an offer of another protocol',
    head: post('Connection: Upgrade\r\nUpgrade: websocket', '/upstream/nope/x').replace('POST', 'GET'),
    status: 404,
  },
]

for (const how of CLIENTS) {
  for (const { name, head, status } of CASES) {
    t.test(`an early answer reaches who reads it only after all is sent: ${name} (${how})`, async (t) => {
      const { port } = await startRig(t, {
        ...(how === 'TLS' && { tls: identity }),
        config: { bodies: { maxBodyBytes: 2 * LARGE } },
      })
      const socket = await dial(port, how)
      t.teardown(() => void socket.destroy())
      await send(socket, head)
      for (let sent = 0; sent < LARGE; sent += MEGABYTE) await send(socket, Buffer.alloc(MEGABYTE, 'x'))
      t.match(await readAll(socket), new RegExp(`^HTTP/1\\.1 ${status} [^]*\\}$`))
    })
  }
}

const PIECE = 'x'.repeat(1_000)
const START = '{"model":"nope",'

const watchEnd = (socket: Socket, ended: () => void): void => {
  socket.once('end', ended)
  socket.once('close', ended)
  socket.resume()
}

for (const how of CLIENTS) {
  t.test(`a slow client has half a minute to send what nobody wants; a silent one five seconds (${how})`, async (t) => {
    const clock = createVirtualClock()
    const { port } = await startRig(t, { ...(how === 'TLS' && { tls: identity }), clock })
    const head = `${post(`Content-Length: ${LARGE}`)}${START}`
    const [slow, silent, endless] = await Promise.all([dial(port, how), dial(port, how), dial(port, how)])
    for (const socket of [slow, silent, endless]) t.teardown(() => void socket.destroy())
    for (const socket of [slow, silent, endless]) {
      await send(socket, head)
      // Answered: the router waits for the rest
      await once(socket, 'readable')
    }
    const isCut = { silent: false, endless: false }
    watchEnd(silent, () => (isCut.silent = true))
    for (let second = 4; second < 28; second += 4) {
      for (const socket of [slow, endless]) await send(socket, PIECE)
      // It went round: what was sent is read
      await health(port, how)
      await clock.advance(4_000)
    }
    await health(port, how)
    t.ok(isCut.silent)
    t.notOk(slow.destroyed)
    await send(slow, Buffer.alloc(LARGE - 6 * PIECE.length - START.length, 'x'))
    await send(slow, 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    t.match(await readAll(slow), /^HTTP\/1\.1 404 [^]*HTTP\/1\.1 200 /)
    watchEnd(endless, () => (isCut.endless = true))
    for (const more of [4_000, 2_000]) {
      t.notOk(isCut.endless)
      await send(endless, PIECE)
      await health(port, how)
      await clock.advance(more)
    }
    await health(port, how)
    t.ok(isCut.endless)
  })
}

const health = async (port: number, how: Client): Promise<void> => {
  const socket = await dial(port, how)
  await send(socket, 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  await readAll(socket)
}
