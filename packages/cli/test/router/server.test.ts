import { once } from 'node:events'
import t from 'tap'
import { tlsIdentity } from '../fixtures.ts'
import { answer, CHUNKED, dial, REQUEST, startServer } from './plain/support/listener.ts'

const identity = tlsIdentity()
const UPGRADE = 'GET /upstream/a/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const BUSY = 'Content-Length: 3\r\nX-Busy: 1'
const BUSY_PLAIN = REQUEST.replace('Content-Length: 3', BUSY)
const BUSY_CHUNKED = CHUNKED.replace('Host: x', 'Host: x\r\nX-Busy: 1')

/** What is sent on a connection, and whether its answer is waited for. */
const KINDS: Readonly<Record<string, readonly [bytes: string, isAnswered: boolean]>> = {
  silent: ['', false],
  'plain, idle': [REQUEST, true],
  'plain, at work': [BUSY_PLAIN, false],
  "node:http's, idle": [CHUNKED, true],
  "node:http's, at work": [BUSY_CHUNKED, false],
  upgrading: [UPGRADE, false],
  'upgrading behind a request that is at work': [BUSY_CHUNKED + UPGRADE, false],
}

type Test = Parameters<typeof startServer>[0]

/** A listener with a connection of each kind. */
const withEachKind = async (t: Test, tls: typeof identity | undefined) => {
  const { server, nth } = startServer(
    t,
    ({ req, res }) => {
      req.resume()
      if (req.headers['x-busy'] === undefined && req.headers.upgrade === undefined) answer(res, 'ok')
    },
    tls,
  )
  const wires = new Map<string, Awaited<ReturnType<typeof dial>>>()
  let requests = 0
  for (const [kind, [bytes, isAnswered]] of Object.entries(KINDS)) {
    const accepted = once(server, tls === undefined ? 'connection' : 'secureConnection')
    const wire = await dial(t, server, tls)
    await accepted
    wires.set(kind, wire)
    if (bytes === '') continue
    await wire.send(bytes)
    await nth(requests)
    requests += 1
    if (isAnswered) await wire.until('the answer', () => wire.bytes().includes('ok'))
  }
  return { server, wires }
}

for (const [way, tls] of [
  ['plain', undefined],
  ['TLS', identity],
] as const) {
  t.test(`all connections are closed, whoever reads them, ${way}`, async (t) => {
    const { server, wires } = await withEachKind(t, tls)
    const closed = once(server, 'close')
    server.close()
    for (const kind of ['plain, at work', "node:http's, at work", 'upgrading'])
      t.equal(wires.get(kind)?.ending(), undefined, `${kind}: is let end`)
    for (const kind of ['plain, idle', "node:http's, idle"]) t.ok(await wires.get(kind)?.ended(), kind)
    server.closeAllConnections()
    for (const [kind, wire] of wires) t.ok(await wire.ended(), kind)
    t.ok(await closed, 'and none is left')
  })
}

t.test('connections of every kind count, up to a number', async (t) => {
  const { server, wires } = await withEachKind(t, undefined)
  const count = (): Promise<number> =>
    new Promise((resolve, reject) =>
      server.getConnections((error, found) => (error === null ? resolve(found) : reject(error))),
    )
  t.equal(await count(), wires.size)
  t.ok(server.maxConnections >= 10_000 && server.maxConnections < 100_000)
  server.maxConnections = wires.size
  const over = once(server, 'drop')
  const refused = await dial(t, server)
  await over
  t.equal(await refused.ended(), 'closed')
  for (const kind of ['upgrading', "node:http's, idle", 'plain, at work']) {
    wires.get(kind)?.socket.destroy()
    while ((await count()) >= wires.size) await new Promise(setImmediate)
    const wire = await dial(t, server)
    await wire.send(REQUEST)
    await wire.until('an answer', () => wire.bytes().includes('ok'))
    t.equal(await count(), wires.size, `in the place of one that was ${kind}`)
  }
})
