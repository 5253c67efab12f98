import t from 'tap'
import { gzipSync } from 'node:zlib'
import type { Row } from './support/exchange.ts'
import { answer, BODY, chunk, fixed, head, OK, post } from './support/requests.ts'
import { assertSame } from './support/same.ts'
import { CLIENTS, startWays } from './support/ways.ts'

const CHUNKED = head('Transfer-Encoding: chunked')
const BIG = BODY.replace('}', `,"pad":"${'x'.repeat(1_200_000)}"}`)
const ZIPPED = gzipSync('{"zipped":true}')
const QUERY = 'slots?model=a HTTP/1.1\r\nHost: localhost\r\n\r\n'

const FORM = `--xYz\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n\0\r\n-\u00ff\r\n--xYz\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n--xYz--\r\n`
const FORM_HEAD = [
  'POST /v1/audio/transcriptions HTTP/1.1',
  'Host: localhost',
  'Content-Type: multipart/form-data; boundary=xYz',
]

const requests: readonly (readonly [name: string, ...request: string[]])[] = [
  ['a body of known length', post()],
  ['a head and a body in separate writes', head(`Content-Length: ${BODY.length}`), BODY],
  ['a body cut within a character', head(`Content-Length: ${BODY.length}`), BODY.slice(0, -3), BODY.slice(-3)],
  ['a head cut in the middle of a name', post().slice(0, 44), post().slice(44)],
  ['a chunked body', CHUNKED + chunk(BODY) + '0\r\n\r\n'],
  ['a chunked body in many writes', CHUNKED, ...BODY.split('').map(chunk), '0\r\n\r\n'],
  ['a chunked body with extensions', `${CHUNKED}${BODY.length.toString(16)};a=b\r\n${BODY}\r\n0\r\n\r\n`],
  ['a chunked body with trailers that is held', `${CHUNKED}${chunk(BODY)}0\r\nX-Sum: 1\r\n\r\n`],
  ['a large body of known length', post(BIG)],
  ['a large chunked body', CHUNKED + chunk(BIG) + '0\r\n\r\n'],
  ['JSON with blanks, escapes and no order', post(' \r\n{ "b" : "\\u0041\\/" ,"model":"\\u0061", "b":1e2 }\n')],
  ['a form', [...FORM_HEAD, `Content-Length: ${FORM.length}`, '', FORM].join('\r\n')],
  ['a form in chunks', [...FORM_HEAD, 'Transfer-Encoding: chunked', '', chunk(FORM)].join('\r\n') + '0\r\n\r\n'],
  ['a key, where the router has none', post(BODY, 'Authorization: Bearer x', 'X-Api-Key: y')],
  [
    'fields of proxies before',
    post(BODY, 'X-Forwarded-For: 1.2.3.4', 'Via: 1.1 p', 'Forwarded: for=x', 'X-Request-Id: r'),
  ],
  ['no body at all', `GET /${QUERY}`],
  ['header case, order and duplicates', post(BODY, 'x-One: 1', 'X-oNe: 2', 'X-ZERO: 0', 'x-One: 1', 'Accept: */*')],
  ['empty values, blanks around and within', post(BODY, 'X-Empty:', 'X-Blank: \t ', 'X-Wide:   a  b\tc   ')],
  ['bytes beyond ASCII in a value', post(BODY, 'X-Name: caf\u00c3\u00a9 \u00ff')],
  ['several cookies and a comma list', post(BODY, 'Cookie: a=1', 'Cookie: b=2', 'Accept: a, b', 'Accept: c')],
  ['large headers', post(BODY, `X-Large: ${'v'.repeat(24_000)}`)],
  ['a path with a query and escapes', post().replace('completions ', 'completions?a=%2f&b=%C3%A9&&c ')],
  ['compression that the client takes', post(BODY, 'Accept-Encoding: gzip, br')],
]

const answers: readonly (readonly [name: string, ...answer: (string | Buffer)[]])[] = [
  ['a body of known length', OK],
  ['a head and a body in separate writes', OK.slice(0, -11), OK.slice(-11, -4), OK.slice(-4)],
  ['a head cut in its status line and in a name', OK.slice(0, 5), OK.slice(5, 30), OK.slice(30)],
  ['an empty body', fixed('')],
  ['a chunked body', answer('200 OK', 'Transfer-Encoding: chunked') + chunk('one') + chunk('two') + '0\r\n\r\n'],
  ['an empty chunked body', `${answer('200 OK', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  [
    'a chunk cut in its size line, its bytes and its end',
    `${answer('200 OK', 'Transfer-Encoding: chunked')}0000`,
    '1',
    '0;ext\r',
    '\n01234567',
    '89abcdef\r',
    '\n0',
    '\r\n\r',
    '\n',
  ],
  [
    'trailers, announced',
    `${answer('200 OK', 'Trailer: X-Sum', 'Transfer-Encoding: chunked')}${chunk('body')}0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n`,
  ],
  ['trailers that nobody announced', `${answer('200 OK', 'Transfer-Encoding: chunked')}0\r\nx-Late: yes\r\n\r\n`],
  ['204', answer('204 No Content', 'X-A: 1')],
  ['304 with the length of what it does not send', answer('304 Not Modified', 'ETag: "x"', 'Content-Length: 42')],
  ['304 without a length', answer('304 Not Modified', 'ETag: W/"x"')],
  ['a reason of its own', answer('200 Fine By Me', 'Content-Length: 0')],
  ['no reason', answer('200 ', 'Content-Length: 0')],
  ['an error of the engine', answer('503 Service Unavailable', 'Retry-After: 7', 'Content-Length: 3') + 'no!'],
  ['an error status that is not known', answer('599 Odd', 'Content-Length: 0')],
  ['a redirect', answer('302 Found', 'Location: /else', 'Content-Length: 0')],
  ['header case, order and duplicates', fixed('x', 'x-One: 1', 'X-ZERO: 0', 'X-oNe: 2', 'x-One: 1')],
  ['cookies', fixed('x', 'Set-Cookie: a=1; Path=/', 'set-cookie: b=2', 'Vary: A', 'Vary: B')],
  ['empty values and bytes beyond ASCII', fixed('x', 'X-Empty:', 'X-Name: caf\u00c3\u00a9 \u00ff')],
  ['its own Date, Server and X-Accel-Buffering', fixed('x', 'Date: yesterday', 'Server: e', 'X-Accel-Buffering: yes')],
  ['large headers', fixed('x', ...Array.from({ length: 40 }, (_, n) => `X-Large-${n}: ${'v'.repeat(1_000)}`))],
  ['a compressed body', answer('200 OK', 'Content-Encoding: gzip', `Content-Length: ${ZIPPED.length}`), ZIPPED],
  ['lines of text where a head could begin', fixed('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx')],
  ['an interim answer and the head in one write', answer('100 Continue') + OK],
  ['all byte values', answer('200 OK', 'Content-Length: 256'), Buffer.from(Array.from({ length: 256 }, (_, n) => n))],
  ['fields that only mean its connection', fixed('x', 'Connection: close', 'X-A: 1')],
]

const rows: readonly Row[] = [
  ...requests.map(([name, ...request]) => ({ name: `request: ${name}`, request, answer: [OK] })),
  ...answers.map(([name, ...pieces]) => ({ name: `answer: ${name}`, request: [post()], answer: pieces })),
  {
    name: 'HEAD with the length of what it does not send',
    request: [`HEAD /${QUERY}`],
    answer: [answer('200 OK', 'Content-Type: application/json', 'Content-Length: 1234')],
  },
  {
    name: 'an id of the request that the engine tells, too',
    request: [post(BODY, 'X-Request-Id: mine')],
    answer: [fixed('x', 'x-request-id: mine')],
  },
  { name: 'HEAD without a length', request: [`HEAD /${QUERY}`], answer: [answer('200 OK', 'X-A: 1')] },
  {
    name: 'HEAD of what would be chunked',
    request: [`HEAD /${QUERY}`],
    answer: [answer('200 OK', 'Transfer-Encoding: chunked', 'X-A: 1')],
  },
  {
    name: 'a body until the close',
    request: [post()],
    answer: [answer('200 OK', 'Connection: close'), 'one', 'two'],
    ends: 'close',
  },
]

for (const client of CLIENTS) {
  t.test(`what arrives is the same directly and over the router (${client})`, async (t) => {
    const ways = await startWays(t, { client })
    for (const row of rows) {
      await t.test(row.name, async (t) => {
        await assertSame(t, ways, row)
      })
    }
    t.same(ways.rig.log.bugs(), [])
  })
}
