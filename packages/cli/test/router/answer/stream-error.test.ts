import t from 'tap'
import { createEventStreamTail } from '../../../src/router/answer/stream-error.ts'

const after = (...chunks: readonly string[]): string => {
  const tail = createEventStreamTail('/v1/completions')
  for (const chunk of chunks) tail.add(Buffer.from(chunk))
  return tail.errorEventOf('{}')
}

const EVENT = 'event: error\ndata: {}\n\n'

t.test('an event of ours follows an empty line as it is', async (t) => {
  for (const chunks of [
    [],
    ['data: 1\n\n'],
    ['data: 1\r\n\r\n'],
    ['data: 1\r\r'],
    ['data: 1\n', '\n'],
    ['a\r', '\n\r', '\n'],
    ['\n'],
  ])
    t.equal(after(...chunks), EVENT, JSON.stringify(chunks))
})

t.test('what is unfinished is ended first; CR LF is one end of a line', async (t) => {
  for (const chunks of [
    ['data: 1'],
    ['data: 1\n'],
    ['data: 1\r\n'],
    ['data: 1\r', '\n'],
    ['\n\n', 'd'],
    ['data: 1\n\n', 'data: 2\r\n'],
  ])
    t.equal(after(...chunks), `\n\n${EVENT}`, JSON.stringify(chunks))
})
