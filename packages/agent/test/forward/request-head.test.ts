import t from 'tap'
import type { ForwardRequest } from '../../src/forward/exchange.ts'
import { composeHead, createTarget } from '../../src/forward/request-head.ts'
import type { TargetOptions } from '../../src/forward/request-head.ts'
import { requestFraming } from '../../src/forward/request-framing.ts'
import { get, post } from './support/requests.ts'

const compose = (request: ForwardRequest, options: Partial<TargetOptions> = {}): string =>
  composeHead(request, createTarget({ host: '127.0.0.1', port: 9931, ...options }), requestFraming(request))

const withHeaders = (...headers: string[]): ForwardRequest => ({ ...get(), headers })

const HOP_BY_HOP = [
  ['X-Hop', '1'],
  ['Connection', 'Keep-Alive, x-hop'],
  ['Keep-Alive', 'timeout=5'],
  ['TE', 'trailers'],
  ['Trailer', 'X-Sum'],
  ['Transfer-Encoding', 'chunked'],
  ['Upgrade', 'h2c'],
  ['Expect', '100-continue'],
  ['Proxy-Authorization', 'Basic x'],
  ['Proxy-Connection', 'close'],
]

t.test('sets Host, Connection and the length, and keeps the rest with case, order and duplicates', async (t) => {
  t.equal(
    compose(post('{}', ['host', 'lswap:8080', 'X-A', '1', 'content-length', '99', 'x-a', '2', 'X-Bytes', '\xff'])),
    'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:9931\r\nConnection: keep-alive\r\n' +
      'X-A: 1\r\nx-a: 2\r\nX-Bytes: \xff\r\nContent-Length: 2\r\n\r\n',
  )
})

t.test('removes hop-by-hop fields, Expect, and what Connection names, also when it comes later', async (t) => {
  const head = compose(withHeaders(...HOP_BY_HOP.flat(), 'Accept', '*/*'))
  t.equal(head, 'GET / HTTP/1.1\r\nHost: 127.0.0.1:9931\r\nConnection: keep-alive\r\nAccept: */*\r\n\r\n')
})

t.test('fields that only look like hop-by-hop ones stay', async (t) => {
  const fields = ['Proxy', '1', 'Te2', '2', 'Upgrade-Insecure-Requests', '1', 'Hose', '3', 'Connections', '4']
  const head = compose(withHeaders(...fields))
  for (const name of ['Proxy', 'Te2', 'Upgrade-Insecure-Requests', 'Hose', 'Connections'])
    t.match(head, `\r\n${name}: `)
})

t.test('puts the base path before every path', async (t) => {
  t.match(compose(get('/v1/models?x=1'), { basePath: '/engine/' }), /^GET \/engine\/v1\/models\?x=1 HTTP\/1\.1\r\n/)
})

t.test('writes an IPv6 host in brackets', async (t) => {
  t.match(compose(get(), { host: '::1' }), '\r\nHost: [::1]:9931\r\n')
})

t.test('extra headers replace what the client sent under their names', async (t) => {
  const request = withHeaders('authorization', 'Bearer client', 'X', '1')
  const head = compose(request, { extraHeaders: ['Authorization', 'Bearer engine'] })
  t.match(head, '\r\nAuthorization: Bearer engine\r\n')
  t.notMatch(head, 'client')
  t.match(head, '\r\nX: 1\r\n')
})

t.test('a request without a body says so only where a server would wait for one', async (t) => {
  t.notMatch(compose(get()), /content-length/i)
  const empty = { length: undefined, held: [], rest: undefined }
  t.match(compose({ ...get(), method: 'POST', body: empty }), '\r\nContent-Length: 0\r\n')
  t.match(compose({ ...get(), body: { ...empty, length: 0 } }), '\r\nContent-Length: 0\r\n')
})

t.test('a chunked body that is all there goes out with its length', async (t) => {
  const body = { length: undefined, held: [Buffer.from('ab'), Buffer.from('c')], rest: undefined }
  t.match(compose({ ...get(), method: 'POST', body }), '\r\nContent-Length: 3\r\n')
})

t.test('refuses heads that would say something else to the engine', async (t) => {
  const refused = { code: 'invalid_request' }
  for (const value of ['a\r\nX: y', 'a\nb', 'a\rb', 'a\0b', '\u010a', '\x7f']) {
    t.throws(() => compose(withHeaders('X', value)), refused, JSON.stringify(value))
  }
  t.throws(() => compose(withHeaders('X\r\nY', 'a')), refused)
  t.throws(() => compose(get('/a b')), refused)
  t.throws(() => compose(get('/a\r\nX: y')), refused)
  t.throws(() => compose({ ...get(), method: 'GET /x' }), refused)
})

t.test('refuses a body that contradicts its length', async (t) => {
  const held = [Buffer.from('abc')]
  t.throws(() => compose({ ...get(), body: { length: 2, held, rest: undefined } }), { code: 'invalid_request' })
  t.throws(() => compose({ ...get(), body: { length: 4, held, rest: undefined } }), { code: 'invalid_request' })
})
