import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import { HeldPrefixes } from '../../../src/pick/prefix/held.ts'

/** Conversations as a tree: a block is named by its whole way, as a hash chain names it. */
const chain = fc
  .array(fc.nat(2), { minLength: 1, maxLength: 7 })
  .map((way) => way.map((_, at) => way.slice(0, at + 1).reduce((name, step) => name * 4 + step + 1, 0)))

const notes = fc.array(chain, { minLength: 1, maxLength: 40 })
const most = fc.integer({ min: 1, max: 24 })

t.test('it never holds more than its bound, and always what was noted last', (t) => {
  t.doesNotThrow(() => {
    fc.assert(
      fc.property(notes, most, (given, bound) => {
        const held = new HeldPrefixes([], bound)
        for (const one of given) {
          held.note(one)
          assert.ok(held.size <= bound, `${held.size} of ${bound}`)
          assert.equal(held.countOf(one), Math.min(one.length, bound))
        }
      }),
    )
  })
  t.end()
})

t.test('what is held begins at the start: counting by halves finds what counting one by one does', (t) => {
  t.doesNotThrow(() => {
    fc.assert(
      fc.property(notes, chain, most, (given, asked, bound) => {
        const held = new HeldPrefixes([], bound)
        for (const one of given) held.note(one)
        const blocks = new Set(held.toJSON())
        const missing = asked.findIndex((block) => !blocks.has(block))
        const count = missing === -1 ? asked.length : missing
        for (let least = 0; least <= asked.length + 1; least += 1)
          assert.equal(held.countOf(asked, least), count < least ? 0 : count)
        for (const one of given) {
          const own = one.map((block) => blocks.has(block))
          assert.deepEqual(
            own,
            own.toSorted((a, b) => Number(b) - Number(a)),
          )
        }
      }),
    )
  })
  t.end()
})
