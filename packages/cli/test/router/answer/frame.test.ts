import t from 'tap'
import { framed } from '../../../src/router/answer/frame.ts'

t.test('a chunk is framed by its length in hexadecimal', (t) => {
  for (const length of [1, 9, 10, 15, 16, 17, 255, 256, 257, 4_095, 4_096, 65_535, 65_536]) {
    const chunk = Buffer.alloc(length, 'a')
    t.same(framed(chunk).toString('latin1'), `${length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`, `${length}`)
  }
  t.end()
})
