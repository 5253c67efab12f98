import type { Random } from './random.ts'

const BODY = '{"model":"a","prompt":"hello"}'
const HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n'
const FIXED = `${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}`
const CHUNKS = `8\r\n${BODY.slice(0, 8)}\r\n16;x=y\r\n${BODY.slice(8)}\r\n0\r\nX-Sum: 1\r\n\r\n`
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n${CHUNKS}`
const FORM = '--B\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n--B--\r\n'

/** What clients send when they mean well. */
const CORPUS: readonly string[] = [
  FIXED,
  CHUNKED,
  FIXED + FIXED,
  CHUNKED + FIXED,
  FIXED + CHUNKED + FIXED,
  `${HEAD}Content-Length: 300\r\n\r\n{"x":"${'y'.repeat(280)}","model":"a"}`,
  `GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n${FIXED}`,
  FIXED.replace('HTTP/1.1', 'HTTP/1.0'),
  `${HEAD}Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  FIXED.replace('/v1', 'http://localhost/v1'),
  `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=B\r\nContent-Length: ${FORM.length}\r\n\r\n${FORM}`,
  `${HEAD}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}${FIXED}`,
  `GET /upstream/a/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${FIXED}`,
  `${HEAD}Connection: close, X-Mine\r\nX-Mine: 1\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
]

/** What parsers have disagreed about. */
const WORDS: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0\r\n\r\n',
  '\r\n\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 30\r\n',
  'Content-Length : 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  ', identity',
  ' chunked',
  'Host: other\r\n',
  'Connection: close\r\n',
  'Connection: content-length\r\n',
  'Expect: 100-continue\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'Connection: Upgrade\r\nUpgrade: h2c\r\n',
  'HTTP/1.0',
  'HTTP/2.0',
  'ffffffff\r\n',
  'ffffffffffffffff1\r\n',
  '-1\r\n',
  '0x5\r\n',
  '{"model":"a"}',
  '"model":"b",',
  '[[[[',
  '\xff',
  '\xef\xbb\xbf',
  FIXED,
]

type Mutation = (text: string, random: Random) => string

const MUTATIONS: readonly Mutation[] = [
  (text, random) => splice(text, random.int(text.length), 1, String.fromCodePoint(random.int(256))),
  (text, random) => splice(text, random.int(text.length), 0, random.pick(WORDS)),
  (text, random) => splice(text, random.int(text.length), random.int(4), random.pick(WORDS)),
  (text, random) => splice(text, random.int(text.length), 1 + random.int(20), ''),
  (text, random) => {
    const at = random.int(text.length)
    return splice(text, random.int(text.length), 0, text.slice(at, at + random.int(60)))
  },
  // At the end of some line of a head
  (text, random) => {
    const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index)
    return ends.length === 0 ? text : splice(text, random.pick(ends) + 2, 0, random.pick(WORDS))
  },
  (text, random) => text.replaceAll('\r\n', () => (random.int(12) === 0 ? '\n' : '\r\n')),
  (text, random) => text.replaceAll(/\d+/g, (digits) => (random.int(4) === 0 ? String(random.int(100)) : digits)),
  (text, random) => text.slice(0, random.int(text.length + 1)),
  (text, random) => text + random.pick(CORPUS),
]

const splice = (text: string, at: number, count: number, insert: string): string =>
  text.slice(0, at) + insert + text.slice(at + count)

/** Bytes of one connection; each piece is a write of its own. */
export const hostileBytes = (random: Random): readonly Buffer[] => {
  let text = random.pick(CORPUS)
  for (let left = random.int(4); left >= 0; left--) text = random.pick(MUTATIONS)(text, random)
  const bytes = Buffer.from(text, 'latin1')
  const cuts = Array.from({ length: random.int(3) }, () => random.int(bytes.length + 1)).toSorted((a, b) => a - b)
  return [...cuts, bytes.length].map((cut, at) => bytes.subarray(cuts[at - 1] ?? 0, cut))
}
