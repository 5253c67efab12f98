import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import { BLOCK_ENDS, ChainHasher } from '../../../src/pick/prefix/chain.ts'

const hashed = (pieces: readonly Uint8Array[]): readonly number[] => {
  const hasher = new ChainHasher('s')
  for (const piece of pieces) hasher.push(piece)
  return hasher.chain()
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array => Uint8Array.from(pieces.flatMap((piece) => [...piece]))

/** `max`: fast-check would try some ten bytes in all, and no block. */
const pieces = fc.array(fc.uint8Array({ maxLength: 700, size: 'max' }), { maxLength: 12, size: 'max' })

t.test('where a prompt is cut into pieces makes no difference', (t) => {
  t.doesNotThrow(() => {
    // Thousands of bytes take longer to make fewer than anybody waits
    fc.assert(
      fc.property(pieces, (given) => assert.deepEqual(hashed(given), hashed([joined(given)]))),
      { endOnFailure: true },
    )
  })
  t.end()
})

t.test('two prompts share exactly the blocks that end within what they have in common', (t) => {
  t.doesNotThrow(() => {
    fc.assert(
      fc.property(pieces, fc.uint8Array({ minLength: 600, maxLength: 900 }), fc.nat(), (given, tail, place) => {
        const whole = joined([...given, tail])
        const at = place % whole.length
        const other = whole.slice()
        other[at] = (other[at] as number) ^ 0x55
        const [a, b] = [hashed([whole]), hashed([other])]
        const shared = BLOCK_ENDS.filter((end) => end <= at).length
        assert.deepEqual(a.slice(0, shared), b.slice(0, shared))
        for (let block = shared; block < a.length; block += 1) assert.notEqual(a[block], b[block])
      }),
    )
  })
  t.end()
})
