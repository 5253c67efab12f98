import t from 'tap'
import { readPlainHead } from '../../../src/router/plain/head.ts'
import { hostileBytes } from '../hostile/support/mutate.ts'
import { createRandom, seedOfCommit } from '../hostile/support/random.ts'
import { readStrictly } from '../hostile/support/strict.ts'
import { grownBy } from './support/grown.ts'

const MOST = 32 * 1024

const read = (text: string) => readPlainHead(Buffer.from(text, 'latin1'), MOST)
const head = (...lines: readonly string[]): string =>
  ['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n')

t.test('a plain head is read as it came', async (t) => {
  const text = head('content-TYPE:  application/json\t', 'X-Empty:', 'X-Latin: \xe9', 'Content-Length: 007')
  t.same(read(`${text}{"a":1}`), {
    method: 'POST',
    url: '/v1/chat/completions',
    rawHeaders: [
      'Host',
      'localhost',
      'content-TYPE',
      'application/json',
      'X-Empty',
      '',
      'X-Latin',
      '\xe9',
      'Content-Length',
      '007',
    ],
    headers: {
      host: 'localhost',
      'content-type': 'application/json',
      'x-empty': '',
      'x-latin': '\xe9',
      'content-length': '007',
    },
    length: 7,
    size: text.length,
  })
  t.match(read('GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n'), { method: 'GET', url: '/a?b=c', length: 0 })
  t.match(read(head('Connection: Keep-Alive')), { length: 0 })
})

t.test('what is not plain is left to node:http', async (t) => {
  const rows: readonly (readonly [why: string, text: string])[] = [
    ['not whole', head().slice(0, -1)],
    ['empty', ''],
    ['no header', 'GET / HTTP/1.1\r\n\r\n'],
    ['another method', head().replace('POST', 'PUT')],
    ['no answer body', head().replace('POST', 'HEAD')],
    ['lower case', head().replace('POST', 'post')],
    ['HTTP/1.0', head().replace('1.1', '1.0')],
    ['HTTP/1.10', head().replace('1.1', '1.10')],
    ['absolute', head().replace('/v1', 'http://localhost/v1')],
    ['two blanks', head().replace(' /v1', '  /v1')],
    ['blank in the target', head().replace('/v1', '/v1 ')],
    ['other scripts in the target', head().replace('/v1', '/v\xe9')],
    ['line before', `\r\n${head()}`],
    ['two Hosts', head('host: other')],
    ['no Host', head().replace('Host', 'Hose')],
    ['a name twice', head('X-A: 1', 'x-a: 2')],
    ['no colon', head('X-A')],
    ['no name', head(': a')],
    ['blank before the colon', head('X-A : 1')],
    ['fold', head('X-A: 1', ' 2')],
    ['bare LF', head('X-A: 1\nX-B: 2')],
    ['bare CR', head('X-A: 1\rX-B: 2')],
    ['NUL', head('X-A: \0')],
    ['DEL', head('X-A: \x7f')],
    ['an odd name', head('X_A: 1')],
    ['a name of every object', head('constructor: 1')],
    ['chunks', head('Transfer-Encoding: chunked')],
    ['a question first', head('Content-Length: 3', 'Expect: 100-continue')],
    ['another protocol', head('Upgrade: h2c')],
    ['trailers', head('Trailer: X-Sum')],
    ['the last one', head('Connection: close')],
    ['the last one, to whom node:http asks as well', head('Proxy-Connection: close')],
    ['a field for the connection', head('Connection: keep-alive, X-A')],
    ['signed length', head('Content-Length: +3')],
    ['two lengths', head('Content-Length: 3, 3')],
    ['no length', head('Content-Length:')],
    ['hexadecimal', head('Content-Length: 0x3')],
    ['a length beyond all', head(`Content-Length: ${'9'.repeat(16)}`)],
    ['large', head(`X-A: ${'a'.repeat(MOST)}`)],
  ]
  for (const [why, text] of rows) t.equal(read(text), undefined, why)
})

t.test('names that somebody makes up are read as well, and nothing of their heads is kept', async (t) => {
  const long = 'x'.repeat(30_000)
  const readMany = (prefix: string): void => {
    for (let n = 0; n < 600; n += 1) {
      const name = `${prefix}-made-up-by-somebody-${n}`
      const { headers } = read(head(`${name}: ${n}`, `X-Long: ${long}`)) ?? {}
      if (prefix === 'X' && headers?.[name.toLowerCase()] !== String(n)) t.fail(name)
    }
  }
  t.ok((await grownBy(() => readMany('X'))) < 4, 'of 18 MB')
  t.ok((await grownBy(() => readMany('odd_'))) < 4, 'of those that are not plain neither')
  // A name of a common client reads as any other
  t.match(read(head('X-Stainless-Lang: js'))?.headers, { 'x-stainless-lang': 'js' })
})

t.test('whatever bytes come: a plain head is one to a reader without liberties too, and the same', async (t) => {
  const seed = seedOfCommit()
  t.comment(`LSWAP_TEST_SEED=${seed}`)
  const random = createRandom(seed)
  let plain = 0
  for (let n = 0; n < 30_000; n += 1) {
    const bytes = Buffer.concat(hostileBytes(random))
    const found = readPlainHead(bytes, MOST)
    if (found === undefined) continue
    plain += 1
    const { requests, end } = readStrictly(bytes.subarray(0, found.size + found.length))
    const [first] = requests
    const isOne = requests.length === 1 || (end === 'more' && bytes.length < found.size + found.length)
    if (!isOne) t.fail('no request to a strict reader', { text: bytes.toString('latin1'), end })
    if (first === undefined) continue
    const fields: [string, string][] = []
    for (let at = 0; at + 1 < found.rawHeaders.length; at += 2)
      fields.push([(found.rawHeaders[at] ?? '').toLowerCase(), found.rawHeaders[at + 1] ?? ''])
    t.same([found.method, found.url, fields], [first.method, first.target, first.fields])
  }
  t.ok(plain > 500, 'many are plain')
})
