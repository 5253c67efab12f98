import t from 'tap'
import { cutAt, read, readParts } from './support/read.ts'

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const line = 'HTTP/1.1 200 OK\r\n'

const BROKEN: readonly (readonly [text: string, says: RegExp])[] = [
  ['<html>', /status line/],
  ['HTTP/2 200\r\n\r\n', /status line/],
  ['HTTP/1.1 20 OK\r\n\r\n', /status line/],
  ['HTTP/1.1 099 OK\r\n\r\n', /status line/],
  ['HTTP/1.1 2000 OK\r\n\r\n', /status line/],
  ['HTTP/1.1 200 O\x00K\r\n\r\n', /control character/],
  [`HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n`, /without CR/],
  [`${line}A: b\n\r\n`, /without CR/],
  [`${line}A: b\rc\r\n\r\n`, /control character/],
  [`${line}A: b\r\n folded\r\n\r\n`, /folded/],
  [`${line}A : b\r\n\r\n`, /proper name/],
  [`${line}: b\r\n\r\n`, /proper name/],
  [`${line}no colon\r\n\r\n`, /proper name/],
  [`${line}A: \x7f\r\n\r\n`, /control character/],
  [`${line}Content-Length: 5x\r\n\r\n`, /Content-Length "5x"/],
  [`${line}Content-Length: -1\r\n\r\n`, /Content-Length "-1"/],
  [`${line}Content-Length: +1\r\n\r\n`, /Content-Length/],
  [`${line}Content-Length:\r\n\r\n`, /Content-Length ""/],
  [`${line}Content-Length: 9999999999999999\r\n\r\n`, /Content-Length/],
  [`${line}Content-Length: 5, 5\r\n\r\n`, /Content-Length/],
  [`${line}Content-Length: 5\r\ncontent-length: 6\r\n\r\n`, /two different/],
  [`${line}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`, /both/],
  [`${line}Transfer-Encoding: gzip, chunked\r\n\r\n`, /Transfer-Encoding "gzip, chunked"/],
  [`${line}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`, /once/],
  ['HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', /HTTP\/1\.0/],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', /101/],
  [`${line}A: ${'b'.repeat(65_536)}\r\n\r\n`, /65536 bytes/],
  ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(17), /1xx/],
  [`${CHUNKED}\r\n`, /no chunk size/],
  [`${CHUNKED}g\r\n`, /no chunk size/],
  [`${CHUNKED}5g\r\nhello\r\n`, /hexadecimal/],
  [`${CHUNKED}5\nhello\r\n`, /hexadecimal/],
  [`${CHUNKED}5;x\nhello\r\n`, /without CR/],
  [`${CHUNKED}5\rhello\r\n`, /bare CR/],
  [`${CHUNKED}5\r\nhello!\r\n`, /longer than its size/],
  [`${CHUNKED}5\r\nhello\r!`, /longer than its size/],
  [`${CHUNKED}10000000001\r\n`, /too large/],
  [`${CHUNKED}${'0'.repeat(4097)}`, /too large/],
  [`${CHUNKED}1;${'x'.repeat(4097)}`, /too long/],
  [`${CHUNKED}0\r\nA: b\n\r\n`, /without CR/],
  [`${CHUNKED}0\r\nA: ${'b'.repeat(65_536)}`, /65536 bytes/],
]

t.test('refuses what is not strict HTTP/1.1, wherever it is cut', async (t) => {
  for (const [text, says] of BROKEN) {
    const name = JSON.stringify(text.slice(0, 70))
    t.throws(() => read(text), { name: 'BrokenResponse', message: says }, name)
    // Long ones are cut in one place: they are about a bound.
    const cuts = text.length > 1000 ? [1000] : Array.from({ length: text.length - 1 }, (_, i) => i + 1)
    t.throws(() => readParts(cutAt(text, ...cuts)), { name: 'BrokenResponse', message: says }, `${name}, cut`)
  }
})

t.test('a head of exactly the limit passes', async (t) => {
  const frame = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: \r\n\r\n'
  const text = frame.replace('A: ', `A: ${'b'.repeat(65_536 - frame.length - 1)}`)
  t.equal(text.length, 65_535)
  t.ok(read(text).reader.complete)
})
