import * as fc from 'fast-check'
import t from 'tap'
import { ResponseReader } from '../../src/forward/response-reader.ts'
import { createRecorder } from './support/recorder.ts'

const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

const framedChunk = (chunk: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])

const answer = fc.oneof(
  payload.map((body) => ({
    bytes: Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`), body]),
    parts: body.length === 0 ? [] : [body],
  })),
  fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes))).map((parts) => ({
    bytes: Buffer.concat([
      Buffer.from('HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
      ...parts.map(framedChunk),
      Buffer.from('0\r\nA: b\r\n\r\n'),
    ]),
    parts,
  })),
)

/** Lengths of the reads, and whether the handler takes each chunk: both start over when used up. */
const cuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 40 })
const accepts = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })

t.test('however the bytes are cut and however often the handler pauses, it gets the same body', async (t) => {
  fc.assert(
    fc.property(answer, cuts, accepts, ({ bytes, parts }, lengths, answers) => {
      const recorder = createRecorder()
      const reader = new ResponseReader(recorder, { method: 'GET' })
      let refused = false
      let toldAfterRefusal = 0
      recorder.hook = () => {
        if (refused) toldAfterRefusal += 1
        recorder.accept = answers[recorder.events.length % answers.length] ?? true
        refused = !recorder.accept && recorder.chunks.length > 0
      }
      let from = 0
      for (let i = 0; from < bytes.length; i += 1) {
        const to = Math.min(bytes.length, from + (lengths[i % lengths.length] ?? 1))
        while (from < to) {
          reader.paused = false
          refused = false
          const at = reader.read(bytes, from, to)
          if (at === from) throw new Error('no progress')
          from = at
        }
      }
      return toldAfterRefusal === 0 && reader.complete && Buffer.concat(recorder.chunks).equals(Buffer.concat(parts))
    }),
    { numRuns: 300 },
  )
  t.pass('300 answers')
})

t.test('read at once, an answer is told in as many calls as the engine made chunks', async (t) => {
  fc.assert(
    fc.property(answer, ({ bytes, parts }) => {
      const recorder = createRecorder()
      const reader = new ResponseReader(recorder, { method: 'GET' })
      reader.read(bytes, 0, bytes.length)
      return (
        recorder.chunks.length === parts.length && recorder.chunks.every((chunk, i) => chunk.equals(parts[i] as Buffer))
      )
    }),
    { numRuns: 200 },
  )
  t.pass('200 answers')
})
