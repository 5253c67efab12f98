import * as fc from 'fast-check'
import t from 'tap'
import { createSplicer, growth, type Edit } from '../../../src/router/body/splice.ts'

const bytes = fc.uint8Array({ maxLength: 12 })

/** Places in order, each pair the bounds of an edit; some touch and some are empty. */
const editsOf = (length: number, places: readonly number[], texts: readonly Uint8Array[]): Edit[] => {
  const sorted = places.map((place) => place % (length + 1)).toSorted((a, b) => a - b)
  return texts.flatMap((text, at) => {
    const [start, end] = [sorted[2 * at], sorted[2 * at + 1]]
    return start === undefined || end === undefined ? [] : [{ start, end, bytes: text }]
  })
}

const expectedOf = (whole: Buffer, edits: readonly Edit[]): Buffer => {
  let result = whole
  for (const { start, end, bytes: text } of edits.toReversed())
    result = Buffer.concat([result.subarray(0, start), text, result.subarray(end)])
  return result
}

const splice = (chunks: readonly Uint8Array[], edits: readonly Edit[]): Uint8Array[] => {
  const splicer = createSplicer(edits)
  return chunks.flatMap((chunk) => splicer(chunk))
}

t.test('edits over chunks are edits of the whole', async (t) => {
  let edited = 0
  fc.assert(
    fc.property(
      fc.array(bytes, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.array(bytes, { maxLength: 4 }),
      (chunks, places, texts) => {
        const whole = Buffer.concat(chunks)
        const edits = editsOf(whole.length, places, texts)
        const result = Buffer.concat(splice(chunks, edits))
        edited += edits.length
        return result.equals(expectedOf(whole, edits)) && result.length === whole.length + growth(edits)
      },
    ),
    { numRuns: 2_000 },
  )
  t.ok(edited > 1_000, 'most had something to do')
  t.same(
    splice([Buffer.from('abc'), Buffer.from('def')], [{ start: 2, end: 4, bytes: Buffer.from('XYZ') }]).map(String),
    ['ab', 'XYZ', 'ef'],
    'chunks that are not touched are not copied together',
  )
})
