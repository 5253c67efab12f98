import t from 'tap'
import { rawClient } from '../support/raw-client.ts'
import { startHostileRig } from './support/rig.ts'
import { readStrictly } from './support/strict.ts'

const BODY = '{"model":"a"}'
const HOST = 'Host: localhost'
const LENGTH = `Content-Length: ${BODY.length}`
const CHUNKED = `${HOST}\r\nTransfer-Encoding: chunked`
const LAST = '\r\n0\r\n\r\n'

/** `fields`: lines of the head after the first. */
const post = (fields: string, body = BODY): string => `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${body}`
const GOOD = post(`${HOST}\r\n${LENGTH}`)
const to = (target: string): string => GOOD.replace('/v1/chat/completions', target)
const version = (text: string): string => GOOD.replace('HTTP/1.1', text)
const smuggled = post(`${HOST}\r\nX-Evil: 1\r\n${LENGTH}`)

/** `closed`: the connection ends without an answer; anything but 200 reaches no engine. */
const ROWS: readonly (readonly [name: string, expected: number | 'closed', bytes: string])[] = [
  ['Content-Length twice', 400, post(`${HOST}\r\n${LENGTH}\r\nContent-Length: 5`)],
  ['Content-Length twice, the same', 400, post(`${HOST}\r\n${LENGTH}\r\n${LENGTH}`)],
  ['a list of lengths', 400, post(`${HOST}\r\nContent-Length: 13, 13`)],
  ['a length with a sign', 400, post(`${HOST}\r\nContent-Length: +13`)],
  ['a negative length', 400, post(`${HOST}\r\nContent-Length: -1`)],
  ['a hexadecimal length', 400, post(`${HOST}\r\nContent-Length: 0xd`)],
  ['an empty length', 400, post(`${HOST}\r\nContent-Length:`)],
  ['a length of 23 digits', 400, post(`${HOST}\r\nContent-Length: 99999999999999999999999`)],
  ['a length beyond what numbers tell apart', 413, post(`${HOST}\r\nContent-Length: 9007199254740993`)],
  [
    'Content-Length, then Transfer-Encoding',
    400,
    post(`${HOST}\r\n${LENGTH}\r\nTransfer-Encoding: chunked`, `d\r\n${BODY}${LAST}`),
  ],
  [
    'Transfer-Encoding, then Content-Length',
    400,
    post(`${HOST}\r\nTransfer-Encoding: chunked\r\n${LENGTH}`, `d\r\n${BODY}${LAST}`),
  ],
  ['chunked, identity', 400, post(`${HOST}\r\nTransfer-Encoding: chunked, identity`, `d\r\n${BODY}${LAST}`)],
  ['identity', 400, post(`${HOST}\r\nTransfer-Encoding: identity`)],
  ['gzip, chunked', 400, post(`${HOST}\r\nTransfer-Encoding: gzip, chunked`, `d\r\n${BODY}${LAST}`)],
  [
    'Transfer-Encoding twice',
    400,
    post(`${HOST}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked`, `d\r\n${BODY}${LAST}`),
  ],
  ['xchunked', 400, post(`${HOST}\r\nTransfer-Encoding: xchunked`, `d\r\n${BODY}${LAST}`)],
  ['"chunked" in quotes', 400, post(`${HOST}\r\nTransfer-Encoding: "chunked"`, `d\r\n${BODY}${LAST}`)],
  ['chunked behind a vertical tab', 400, post(`${HOST}\r\nTransfer-Encoding: \x0bchunked`, `d\r\n${BODY}${LAST}`)],
  ['an empty Transfer-Encoding', 400, post(`${HOST}\r\nTransfer-Encoding:`, `d\r\n${BODY}${LAST}`)],
  ['Transfer-Encoding in HTTP/1.0', 400, post(CHUNKED, `d\r\n${BODY}${LAST}`).replace('HTTP/1.1', 'HTTP/1.0')],
  ['a folded header', 400, post(`${HOST}\r\nX-A: 1\r\n folded\r\n${LENGTH}`)],
  ['a folded Content-Length', 400, post(`${HOST}\r\nContent-Length:\r\n 13`)],
  [
    'a folded line that looks like Transfer-Encoding',
    400,
    post(`${HOST}\r\n${LENGTH}\r\nX: y\r\n\tTransfer-Encoding: chunked`),
  ],
  [
    'a fold before the first header',
    400,
    `POST /v1/chat/completions HTTP/1.1\r\n ${HOST}\r\n${HOST}\r\n${LENGTH}\r\n\r\n${BODY}`,
  ],
  ['bare LF', 400, GOOD.replaceAll('\r\n', '\n')],
  ['a bare LF between headers', 400, post(`${HOST}\nX-A: 1\r\n${LENGTH}`)],
  ['a bare LF at the end of the head', 400, `POST /v1/chat/completions HTTP/1.1\r\n${HOST}\r\n${LENGTH}\r\n\n${BODY}`],
  ['a bare CR in a value', 400, post(`${HOST}\r\nX-A: 1\rX-B: 2\r\n${LENGTH}`)],
  ['a bare CR at the end of the head', 400, `POST /v1/chat/completions HTTP/1.1\r\n${HOST}\r\n${LENGTH}\r\r\n${BODY}`],
  ['chunk ext', 200, post(CHUNKED, `d;a=b\r\n${BODY}${LAST}`)],
  ['chunk ext LF', 400, post(CHUNKED, `d;a\n${BODY}${LAST}`)],
  ['chunk ext CR', 400, post(CHUNKED, `d;a\rb\r\n${BODY}${LAST}`)],
  ['chunk ext 20k', 400, post(CHUNKED, `d;${'a'.repeat(20000)}\r\n${BODY}${LAST}`)],
  ['chunk size LF', 400, post(CHUNKED, `d\n${BODY}${LAST}`)],
  ['chunk size bad', 400, post(CHUNKED, `xyz\r\n${BODY}${LAST}`)],
  ['chunk size 0x', 400, post(CHUNKED, `0xd\r\n${BODY}${LAST}`)],
  ['chunk size -', 400, post(CHUNKED, `-d\r\n${BODY}${LAST}`)],
  ['chunk size space', 400, post(CHUNKED, ` d\r\n${BODY}${LAST}`)],
  ['chunk size trailing space', 400, post(CHUNKED, `d \r\n${BODY}${LAST}`)],
  ['chunk size huge', 400, post(CHUNKED, `ffffffffffffffffff\r\n${BODY}${LAST}`)],
  ['chunk size empty', 400, post(CHUNKED, `\r\n${BODY}${LAST}`)],
  ['chunk data LF', 400, post(CHUNKED, `d\r\n${BODY}\n0\r\n\r\n`)],
  ['chunk data none', 400, post(CHUNKED, `d\r\n${BODY}0\r\n\r\n`)],
  ['chunk data xx', 400, post(CHUNKED, `d\r\n${BODY}xx0\r\n\r\n`)],
  ['chunk end smuggle', 400, post(CHUNKED, `d\r\n${BODY}\r\n0\r\n${smuggled}`)],
  ['a body that stalls', 400, post(`${HOST}\r\nContent-Length: 99`)],
  ['trailer CL', 400, post(CHUNKED, `d\r\n${BODY}\r\n0\r\nContent-Length: 100\r\n\r\n`)],
  ['trailer bad', 400, post(CHUNKED, `d\r\n${BODY}\r\n0\r\nX A: 1\r\n\r\n`)],
  ['trailers endless', 431, post(CHUNKED, `d\r\n${BODY}\r\n0\r\n${'X-A: 1\r\n'.repeat(100000)}`)],
  ['space before colon', 400, post(`${HOST}\r\nContent-Length : 13`)],
  ['space before colon x', 400, post(`${HOST}\r\nX-A : 13\r\n${LENGTH}`)],
  ['space in name', 400, post(`${HOST}\r\nX A: 13\r\n${LENGTH}`)],
  ['empty name', 400, post(`${HOST}\r\n: 13\r\n${LENGTH}`)],
  ['no colon', 400, post(`${HOST}\r\nfoo\r\n${LENGTH}`)],
  ['NUL value', 400, post(`${HOST}\r\nX-A: a\0b\r\n${LENGTH}`)],
  ['NUL name', 400, post(`${HOST}\r\nX\0A: a\r\n${LENGTH}`)],
  ['DEL value', 400, post(`${HOST}\r\nX-A: a\x7fb\r\n${LENGTH}`)],
  ['VT value', 400, post(`${HOST}\r\nX-A: a\x0bb\r\n${LENGTH}`)],
  ['high name', 400, post(`${HOST}\r\nX\xe9A: a\r\n${LENGTH}`)],
  ['high value', 200, post(`${HOST}\r\nX-A: \xe9\r\n${LENGTH}`)],
  ['no host', 400, post(`X-A: 1\r\n${LENGTH}`)],
  ['two hosts', 400, post(`${HOST}\r\n${LENGTH}\r\nHost: evil.example`)],
  ['two same hosts', 400, post(`${HOST}\r\n${LENGTH}\r\n${HOST}`)],
  ['host list', 403, post(`Host: localhost, evil\r\n${LENGTH}`)],
  ['host empty', 403, post(`Host:\r\n${LENGTH}`)],
  ['host at', 403, post(`Host: localhost@evil\r\n${LENGTH}`)],
  ['host nonsense port', 200, post(`Host: localhost:99999999\r\n${LENGTH}`)],
  ['absolute', 200, GOOD.replace('/v1', 'http://localhost/v1')],
  ['absolute other', 400, GOOD.replace('/v1', 'http://evil.example/v1')],
  ['absolute user', 400, GOOD.replace('/v1', 'http://u:p@localhost/v1')],
  ['absolute ftp', 400, GOOD.replace('/v1', 'ftp://localhost/v1')],
  ['authority', 400, to('localhost:80')],
  ['asterisk', 404, to('*')],
  ['CONNECT', 400, `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['CONNECT path', 400, `CONNECT /upstream/a/x HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['absolute backslash', 400, GOOD.replace('/v1', 'http://localhost\\evil/v1')],
  ['host cut', 403, post(`Host: evil.example#.localhost\r\n${LENGTH}`)],
  ['TRACE', 405, `TRACE /v1/chat/completions HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['unknown method', 400, `FROB /v1/chat/completions HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['lower method', 400, GOOD.replace('POST', 'post')],
  ['two spaces', 200, GOOD.replace('POST ', 'POST  ')],
  ['tab', 400, GOOD.replace('POST ', 'POST\t')],
  ['space in target', 400, GOOD.replace('/v1/chat', '/v1/ch at')],
  ['NUL in target', 400, to('/v1/chat/completions?\0')],
  ['high in target', 400, to('/v1/chat/completions?\xe9')],
  ['fragment', 404, to('/v1/chat/completions#x')],
  ['backslash', 404, to('/v1\\chat/completions')],
  ['dots', 404, to('/x/../v1/chat/completions')],
  ['HTTP/0.9', 408, 'GET /health\r\n'],
  ['HTTP/0.9 b', 400, 'GET /health HTTP/0.9\r\n\r\n'],
  ['HTTP/1.2', 400, version('HTTP/1.2')],
  ['HTTP/2.0', 400, version('HTTP/2.0')],
  ['HTTP/11', 400, version('HTTP/1.11')],
  ['http/1.1', 400, version('http/1.1')],
  ['h2 preface', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  ['TLS hello', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['expect other', 400, post(`${HOST}\r\n${LENGTH}\r\nExpect: 200-ok`)],
  ['too many headers', 200, post(`${HOST}\r\n${LENGTH}\r\n${Array.from({ length: 3000 }, () => `x:`).join('\r\n')}`)],
  ['huge header', 431, post(`${HOST}\r\nX-A: ${'a'.repeat(40000)}\r\n${LENGTH}`)],
  ['endless header', 431, `POST / HTTP/1.1\r\n${'X-A: 1\r\n'.repeat(100000)}`],
  ['endless target', 431, `POST /${'a'.repeat(1000000)}`],
  ['endless method', 400, 'A'.repeat(1000000)],
  ['leading CRLF', 200, `\r\n\r\n${GOOD}`],
  ['after body', 'closed', `${GOOD}garbage`],
  ['connection names CL', 200, post(`${HOST}\r\n${LENGTH}\r\nConnection: content-length, host`)],
]

/** The request is right and only not for us: the connection may go on. */
const STAYS: ReadonlySet<number | 'closed'> = new Set([200, 403, 404, 405, 413])

const LIMITS = { headersTimeoutMs: 1_000, bodyStallMs: 1_000, discardSilentMs: 200 }

/** Of each kind some: over TLS the bytes come by another way to the same readers. */
const OVER_TLS: ReadonlySet<string> = new Set([
  'Content-Length twice',
  'Content-Length, then Transfer-Encoding',
  'gzip, chunked',
  'a folded Content-Length',
  'a bare CR in a value',
  'bare LF',
  'chunk ext',
  'chunk size bad',
  'chunk size huge',
  'chunk end smuggle',
  'trailers endless',
  'a body that stalls',
  'NUL value',
  'no host',
  'two hosts',
  'absolute other',
  'CONNECT',
  'HTTP/0.9',
  'h2 preface',
  'too many headers',
  'huge header',
  'endless header',
  'endless target',
  'leading CRLF',
  'after body',
])

for (const secure of [false, true])
  t.test(
    `bytes that two programs may read differently are refused, and reach no engine${secure ? ' (TLS)' : ''}`,
    async (t) => {
      const rig = await startHostileRig(t, { limits: LIMITS, secure })
      const rows = ROWS.filter(([name]) => !secure || OVER_TLS.has(name))
      if (secure) t.equal(rows.length, OVER_TLS.size)
      t.ok(await rig.isServing())
      for (const [name, expected, text] of rows) {
        const bytes = Buffer.from(text, 'latin1')
        const before = rig.engine.requests.length
        const isServed = expected === 200
        const told = await rig.send(bytes, STAYS.has(expected) ? 'answered' : 'ended')
        t.equal(told.status ?? 'closed', expected, name)
        if (told.status !== undefined && told.status !== 200)
          t.match(JSON.parse(told.text), { error: { code: String, message: String }, src: 'lswap' }, name)
        const arrived = rig.engine.requests.slice(before)
        // One that is right may come before what is not
        const right = readStrictly(bytes).requests.length
        t.ok(arrived.length <= Math.max(right, isServed ? 1 : 0), `${name}: nothing more arrives than what is right`)
        if (isServed)
          t.same(
            arrived.map(({ body }) => body.toString()),
            [BODY],
            `${name}: arrives as it was meant`,
          )
        t.notOk(
          arrived.some(({ fields }) => fields.some(([field]) => field === 'x-evil')),
          name,
        )
      }
      t.same(rig.engine.faults, [])
      t.ok(await rig.isServing())
      await rig.isQuiet()
      t.same(rig.log.bugs(), [])
    },
  )

const request = (fields: string, body: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`

t.test('what follows on a connection behind a broken head is no request', async (t) => {
  const rig = await startHostileRig(t)
  // Loaded already: nothing but the router keeps a request from the engine
  t.ok(await rig.isServing())
  const before = rig.engine.requests.length
  const second = request('Host: localhost\r\n', '{"model":"a","prompt":"second"}')
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'
  for (const first of [request('', BODY), request(offer, BODY)]) {
    const client = await rawClient(rig.port)
    client.send(first + second)
    await client.ended()
  }
  const arrived = rig.engine.requests.slice(before).map(({ body }) => body.toString())
  t.same(arrived, [])
  await rig.isQuiet()
})
