import t from 'tap'
import { tlsIdentity } from '../../fixtures.ts'
import { answer, dial, REQUEST, startServer, type Taken } from './support/listener.ts'

const identity = tlsIdentity()
const HEAD = 'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

const answerBody = ({ req, res }: Taken): void => {
  let length = 0
  req.on('data', (chunk) => (length += chunk.length))
  req.on('end', () => answer(res, `${length} bytes`))
}

for (const [way, tls] of [
  ['plain', undefined],
  ['TLS', identity],
] as const) {
  t.test(`a connection that is handed over is read on, ${way}`, async (t) => {
    const { server, nth } = startServer(t, answerBody, tls)
    for (const [name, before] of [
      ['with its first bytes', ''],
      ['behind a plain request', REQUEST],
    ] as const) {
      const wire = await dial(t, server, tls)
      if (before !== '') {
        await wire.send(before)
        await wire.until('the answer', () => wire.bytes().includes('3 bytes'))
      }
      // In one piece: what is read first fills the socket's stream, which then stops
      await wire.send(`${HEAD}5\r\nabcde\r\n${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(64)}0\r\n\r\n`)
      await wire.until('the answer', () => wire.bytes().includes('1048581 bytes'))
      await wire.send(REQUEST)
      await wire.until('the next answer', () => /1048581 bytes[^]*3 bytes$/.test(wire.bytes().toString()))
      t.equal(wire.ending(), undefined, name)
    }
    t.equal((await nth(0)).isPlain, false)
    t.equal((await nth(2)).isPlain, true)
  })
}

t.test('an offer that nobody takes behind a large body: its connection is read on', async (t) => {
  const { server, nth } = startServer(t, answerBody)
  const wire = await dial(t, server)
  const size = 20_000
  const large = REQUEST.replace('Content-Length: 3', `Content-Length: ${size}`).replace('abc', 'x'.repeat(size))
  await wire.send(large + REQUEST.replace('Host: x', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c'))
  await wire.until('both answers', () => wire.bytes().toString().endsWith('3 bytes'))
  await wire.send(REQUEST)
  t.equal((await nth(2)).isPlain, false)
  wire.socket.end()
  t.equal(await wire.ended(), 'closed')
})

t.test('a large answer goes on when an offer of another protocol comes behind its request', async (t) => {
  const piece = Buffer.alloc(64 * 1024, 'y')
  const count = 256
  const { server } = startServer(t, ({ req, res }, n) => {
    req.resume()
    if (n > 0) return answer(res, 'last')
    let left = count
    const write = (): void => {
      for (; left > 0; left -= 1) {
        if (!res.write(piece)) break
      }
      left -= 1
      if (left <= 0) res.end()
    }
    res.writeHead(200, { 'Content-Type': 'text/plain' })
    res.on('drain', write)
    write()
    return undefined
  })
  const wire = await dial(t, server)
  await wire.send(REQUEST + REQUEST.replace('Host: x', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c'))
  await wire.until('the next answer', () => wire.bytes().subarray(-4).toString() === 'last')
  t.ok(wire.bytes().length > (count - 1) * piece.length)
})
