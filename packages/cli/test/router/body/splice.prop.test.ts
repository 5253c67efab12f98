import * as fc from 'fast-check'
import t from 'tap'
import { splice } from '../../../src/router/body/splice.ts'

t.test('a splice over chunks is the splice of the whole', async (t) => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), bytes, fc.nat(), fc.nat(), (chunks, replacement, a, b) => {
      const whole = Buffer.concat(chunks)
      const start = a % (whole.length + 1)
      const end = start + (b % (whole.length - start + 1))
      const expected = Buffer.concat([whole.subarray(0, start), replacement, whole.subarray(end)])
      // Nothing to replace in nothing: a body always has its model's name
      return chunks.length === 0 || Buffer.concat(splice(chunks, { start, end }, replacement)).equals(expected)
    }),
    { numRuns: 2_000 },
  )
  t.same(
    splice([Buffer.from('abc'), Buffer.from('def')], { start: 2, end: 4 }, Buffer.from('XYZ')).map(String),
    ['ab', 'XYZ', 'ef'],
    'chunks that are not touched are not copied together',
  )
})
