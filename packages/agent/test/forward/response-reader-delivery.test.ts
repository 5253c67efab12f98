import t from 'tap'
import { ResponseReader } from '../../src/forward/response-reader.ts'
import { createRecorder } from './support/recorder.ts'
import { read, readParts } from './support/read.ts'

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const OK_HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'

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
  const reader = new ResponseReader(recorder, { method: 'GET' })
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
    const reader = new ResponseReader(recorder, { method: 'GET' })
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
