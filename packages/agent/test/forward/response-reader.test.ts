import t from 'tap'
import { cutAt, read, readParts } from './support/read.ts'
import type { Read } from './support/read.ts'

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
