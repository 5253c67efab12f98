import t from 'tap'
import { ResponseReader } from '../../src/forward/response-reader.ts'
import { createRecorder } from './support/recorder.ts'
import type { Recorder } from './support/recorder.ts'

interface Read {
  readonly recorder: Recorder
  readonly reader: ResponseReader
  /** Bytes behind the answer. */
  readonly left: number
}

const readParts = (parts: readonly Buffer[], method = 'GET'): Read => {
  const recorder = createRecorder()
  const reader = new ResponseReader(recorder, method)
  let left = 0
  for (const part of parts) left = part.length - reader.read(part, 0, part.length)
  return { recorder, reader, left }
}

const read = (text: string, method?: string): Read => readParts([Buffer.from(text, 'latin1')], method)

const cutAt = (text: string, ...positions: number[]): Buffer[] => {
  const bytes = Buffer.from(text, 'latin1')
  const edges = [0, ...positions, bytes.length]
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
}

interface Case {
  readonly name: string
  readonly text: string
  readonly method?: string
  readonly status: number
  readonly length: number | undefined
  readonly body: string
  readonly headers?: readonly string[]
  readonly trailers?: readonly string[]
  readonly keepAlive: boolean
  readonly complete: boolean
}

const CASES: readonly Case[] = [
  {
    name: 'Content-Length',
    text: 'HTTP/1.1 200 OK\r\nServer: llama.cpp\r\nContent-Length: 5\r\n\r\nhello',
    status: 200,
    length: 5,
    body: 'hello',
    headers: ['Server', 'llama.cpp', 'Content-Length', '5'],
    keepAlive: true,
    complete: true,
  },
  {
    name: 'Content-Length 0',
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    status: 200,
    length: 0,
    body: '',
    keepAlive: true,
    complete: true,
  },
  {
    name: 'chunked with extensions, a body of CRLFs and trailers',
    text:
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n' +
      '5;a="b"\r\nhello\r\n004 \r\n\r\n\r\n\r\n0\r\nX-Sum: 9\r\nContent-Length: 4\r\n\r\n',
    status: 200,
    length: undefined,
    body: 'hello\r\n\r\n',
    headers: [],
    trailers: ['X-Sum', '9'],
    keepAlive: false,
    complete: true,
  },
  {
    name: 'until the engine closes',
    text: 'HTTP/1.1 200 OK\r\nA: b\r\n\r\nto the end\r\n\r\n',
    status: 200,
    length: undefined,
    body: 'to the end\r\n\r\n',
    keepAlive: false,
    complete: false,
  },
  {
    name: 'HTTP/1.0',
    text: 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
    status: 200,
    length: 2,
    body: 'ok',
    keepAlive: false,
    complete: true,
  },
  {
    name: 'HEAD with an announced body',
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n',
    method: 'HEAD',
    status: 200,
    length: 0,
    body: '',
    headers: ['Content-Length', '1000'],
    keepAlive: true,
    complete: true,
  },
  {
    name: '204',
    text: 'HTTP/1.1 204 No Content\r\n\r\n',
    status: 204,
    length: 0,
    body: '',
    keepAlive: true,
    complete: true,
  },
  {
    name: '304 with an announced body',
    text: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n',
    status: 304,
    length: 0,
    body: '',
    keepAlive: true,
    complete: true,
  },
  {
    name: 'Connection: close and a field that it names',
    text: 'HTTP/1.1 500 Oh\r\nX-Hop: 1\r\nConnection: close, x-hop\r\nKeep-Alive: timeout=5\r\nContent-Length: 1\r\n\r\n!',
    status: 500,
    length: 1,
    body: '!',
    headers: ['Content-Length', '1'],
    keepAlive: false,
    complete: true,
  },
  {
    name: '1xx answers before the real one',
    text: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\n1',
    status: 200,
    length: 1,
    body: '1',
    keepAlive: true,
    complete: true,
  },
  {
    name: 'duplicates, case, blanks and bytes beyond ASCII',
    text: 'HTTP/1.1 200 Cr\xe8me\r\nSet-Cookie: a\r\nset-cookie:\t b \r\nX: \xff\r\nEmpty:\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n',
    status: 200,
    length: 0,
    body: '',
    headers: ['Set-Cookie', 'a', 'set-cookie', 'b', 'X', '\xff', 'Empty', '', 'Content-Length', '0'],
    keepAlive: true,
    complete: true,
  },
]

for (const { name, text, method, ...expected } of CASES) {
  t.test(`reads ${name}, wherever it is cut`, async (t) => {
    const check = ({ recorder, reader, left }: Read): boolean =>
      recorder.heads.length === 1 &&
      recorder.heads[0]?.status === expected.status &&
      recorder.heads[0]?.length === expected.length &&
      recorder.text() === expected.body &&
      reader.complete === expected.complete &&
      reader.keepAlive === expected.keepAlive &&
      left === 0
    const whole = read(text, method)
    t.ok(check(whole), 'in one piece')
    t.same(whole.recorder.heads[0]?.headers, expected.headers ?? whole.recorder.heads[0]?.headers)
    t.same(whole.reader.trailers, expected.trailers ?? [])
    const failing: number[] = []
    for (let at = 1; at < text.length; at += 1) {
      const { recorder, reader, left } = readParts(cutAt(text, at), method)
      if (!check({ recorder, reader, left })) failing.push(at)
      if (JSON.stringify(recorder.heads) !== JSON.stringify(whole.recorder.heads)) failing.push(at)
    }
    t.same(failing, [], 'cut once, at every position')
    const bytewise = cutAt(text, ...Array.from({ length: text.length - 1 }, (_, i) => i + 1))
    t.ok(check(readParts(bytewise, method)), 'byte by byte')
  })
}

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

t.test('one chunk of the engine is one call, and part of a chunk does not wait for the rest', async (t) => {
  const { recorder, reader } = read(`${CHUNKED}3\r\nabc\r\n`)
  t.same(recorder.events, ['head 200', 'data 3'])
  const two = Buffer.from('2\r\nde\r\n4\r\nfghi\r\n8\r\njkl')
  t.equal(reader.read(two, 0, two.length), two.length)
  t.same(recorder.events.slice(2), ['data 2', 'data 4', 'data 3'])
  const rest = Buffer.from('mnopq\r\n0\r\n\r\n')
  reader.read(rest, 0, rest.length)
  t.same(recorder.events.slice(5), ['data 5'])
  t.ok(reader.complete)
  t.equal(recorder.text(), 'abcdefghijklmnopq')
})

t.test('what is handed out is a copy', async (t) => {
  const shared = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
  const { recorder } = readParts([shared])
  shared.fill(0)
  t.equal(recorder.text(), 'hello')
})

t.test('stops behind the chunk that was answered with false, and goes on from there', async (t) => {
  const recorder = createRecorder()
  recorder.accept = false
  const reader = new ResponseReader(recorder, 'GET')
  const bytes = Buffer.from(`${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`)
  const at = reader.read(bytes, 0, bytes.length)
  t.same(recorder.events, ['head 200', 'data 1'])
  t.ok(reader.paused)
  recorder.accept = true
  reader.paused = false
  t.equal(reader.read(bytes, at, bytes.length), bytes.length)
  t.equal(recorder.text(), 'ab')
  t.ok(reader.complete)
})

t.test('says nothing after stop, not even what the same read holds', async (t) => {
  for (const last of ['info 103', 'head 200', 'data 1']) {
    const recorder = createRecorder()
    const reader = new ResponseReader(recorder, 'GET')
    recorder.hook = (event) => {
      if (event === last) reader.stop()
    }
    const bytes = Buffer.from(`HTTP/1.1 103 Hints\r\n\r\n${CHUNKED}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`)
    reader.read(bytes, 0, bytes.length)
    t.equal(recorder.events.at(-1), last)
  }
})

t.test('leaves bytes behind the answer alone', async (t) => {
  t.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP').left, 4)
  t.equal(read(`${CHUNKED}0\r\n\r\nHTTP`).left, 4)
  t.equal(read('HTTP/1.1 204 No Content\r\n\r\nbody').left, 4)
})

t.test('a 204 that announces a body is not followed by another request', async (t) => {
  t.notOk(read('HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n').reader.keepAlive)
  t.notOk(read('HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n').reader.keepAlive)
  t.ok(read('HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n').reader.keepAlive)
})

t.test('says when no body follows whatever the headers say', async (t) => {
  t.equal(read(OK_HEAD, 'HEAD').recorder.heads[0]?.bodyless, true)
  t.equal(read(OK_HEAD, 'GET').recorder.heads[0]?.bodyless, false)
})

const OK_HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'
