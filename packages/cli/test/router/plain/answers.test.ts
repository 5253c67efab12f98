import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import t from 'tap'
import { sendJson } from '../../../src/router/answer/send.ts'
import type { LiveCall } from '../../../src/router/live-call.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../../src/router/limits.ts'
import type { ClientResponse } from '../../../src/router/messages.ts'
import { PlainResponse } from '../../../src/router/plain/response.ts'
import { createHttpServer } from '../../../src/router/server.ts'
import { partingOf } from './support/listener.ts'
import { createWire } from '../exactness/support/wire.ts'

interface Test {
  teardown(end: () => void): void
}

/** What a server that answers like this sends, and by which of the two it was. */
const answersOf = async (t: Test, answer: (res: ClientResponse) => void, request: string) => {
  let isPlain: boolean | undefined
  const server = createHttpServer({
    limits: DEFAULT_ROUTER_LIMITS,
    parting: partingOf(),
    tls: undefined,
    accept: ({ req, res }) => {
      isPlain = res instanceof PlainResponse
      if (req.url !== '/last') answer(res)
      else {
        res.shouldKeepAlive = false
        res.writeHead(200, { 'Content-Length': 0 })
        res.end()
      }
      return { call: { req, res, path: '/' }, gone: () => {} } as unknown as LiveCall
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const wire = createWire(connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }))
  await wire.send(request)
  await wire.until('an answer', () => wire.bytes().includes('\r\n\r\n') && isPlain !== undefined)
  await wire.send('GET /last HTTP/1.1\r\nHost: x\r\n\r\n')
  await wire.ended()
  // Node 24 makes one chunk of those that are written in one go
  const text = wire
    .bytes()
    .toString('latin1')
    .replaceAll(/(?<=[^\r])\r\n(?!0\r\n)[\da-f]+\r\n|(?<=\r\n\r\n)[\da-f]+\r\n/g, '')
  return { isPlain, text: text.replaceAll(/^Date: .*GMT\r$/gm, 'Date: now\r') }
}

const LARGE = Buffer.alloc(40_000, 'x')

const ROWS: Readonly<Record<string, (res: ClientResponse) => void>> = {
  document: (res) => sendJson(res, 200, { a: 'é' }),
  'headers set before, of which one is given again': (res) => {
    res.setHeader('Vary', 'Origin')
    res.setHeader('X-A', '1')
    res.writeHead(404, { 'Content-Length': 2, 'Content-Type': 'text/plain' })
    res.end('ab')
  },
  'headers appended': (res) => {
    res.setHeader('Vary', 'Origin')
    res.appendHeader('vary', 'Accept')
    res.appendHeader('X-B', '1')
    res.writeHead(200, 'Fine')
    res.end('a')
  },
  'raw, counted, in one piece': (res) => {
    res.writeHead(200, 'OK', ['content-LENGTH', '3', 'X-A', '1', 'X-A', '2'])
    res.end(Buffer.from('abc'))
  },
  'raw, counted, in pieces': (res) => {
    res.writeHead(200, '', ['Content-Length', '6', 'date', 'mine'])
    res.flushHeaders()
    res.write(Buffer.from('ab'))
    res.write('cd')
    res.write(Buffer.alloc(0))
    res.end('ef')
  },
  'raw, counted, large': (res) => {
    res.writeHead(200, 'OK', ['Content-Length', String(2 * LARGE.length)])
    res.write(LARGE)
    res.end(LARGE)
  },
  'large in one piece': (res) => {
    res.writeHead(200, 'OK', ['Content-Length', String(LARGE.length)])
    res.end(LARGE)
  },
  chunks: (res) => {
    res.writeHead(200, 'OK', ['Content-Type', 'text/plain'])
    res.write(Buffer.from('abc'))
    res.write(LARGE)
    res.write('é')
    res.end('last')
  },
  'chunks behind a head that went ahead, with trailers': (res) => {
    res.writeHead(200, 'OK', ['Trailer', 'X-Sum'])
    res.flushHeaders()
    res.write(Buffer.from('abc'))
    res.addTrailers([
      ['X-Sum', '1'],
      ['X-Sum', '2'],
    ])
    res.end()
  },
  'no chunk at all': (res) => {
    res.writeHead(200, 'OK', [])
    res.end()
  },
  'a status without a body': (res) => {
    res.writeHead(204, 'No Content', ['X-A', '1'])
    res.write('never')
    res.end('sent')
  },
  'a length that no body follows': (res) => {
    res.writeHead(304, 'Not Modified', ['Content-Length', '5'])
    res.end()
  },
  'neither a body nor a length': (res) => {
    res.writeHead(304, 'Not Modified', ['ETag', '"a"'])
    res.end()
  },
  'the last answer': (res) => {
    res.shouldKeepAlive = false
    res.writeHead(200, 'OK', ['Content-Length', '1'])
    res.end('a')
  },
}

const REQUEST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'

for (const [name, answer] of Object.entries(ROWS)) {
  t.test(`${name}: the same bytes as from node:http`, async (t) => {
    // An empty line before it, which servers are to ignore, makes it one for node:http
    const [plain, node] = [await answersOf(t, answer, REQUEST), await answersOf(t, answer, `\r\n${REQUEST}`)]
    t.equal(plain.isPlain, true)
    t.equal(node.isPlain, false)
    t.equal(plain.text, node.text)
  })
}

t.test('what no header may hold is refused, as by node:http', async (t) => {
  for (const fields of [
    ['X-A', 'a\r\nX-Evil: 1'],
    ['X A', 'a'],
    ['', 'a'],
    ['Date', 'mine', 'Content-Length', '5', 'X A', 'a'],
  ]) {
    const codes: unknown[] = []
    const answer = (res: ClientResponse): void => {
      try {
        res.writeHead(200, 'OK', [...fields])
      } catch (error) {
        codes.push((error as NodeJS.ErrnoException).code)
      }
      if (!res.headersSent) res.writeHead(500, 'Failed', { 'Content-Length': 0 })
      res.end()
    }
    const [plain, node] = [await answersOf(t, answer, REQUEST), await answersOf(t, answer, `\r\n${REQUEST}`)]
    t.equal(codes.length, 2)
    t.equal(codes[0], codes[1])
    t.equal(plain.text, node.text)
  }
})
