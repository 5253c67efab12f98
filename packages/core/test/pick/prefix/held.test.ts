import t from 'tap'
import { HeldPrefixes } from '../../../src/pick/prefix/held.ts'

t.test('what was given begins alike as far as it is held', async (t) => {
  const held = new HeldPrefixes()
  t.equal(held.countOf([1, 2, 3]), 0)
  held.note([1, 2, 3])
  t.equal(held.countOf([1, 2, 3]), 3)
  t.equal(held.countOf([1, 2, 3, 4, 5]), 3, 'a conversation that goes on')
  t.equal(held.countOf([1, 2, 9]), 2, 'another with the same beginning')
  t.equal(held.countOf([9, 8, 7]), 0)
  t.equal(held.countOf([]), 0)
  t.same(
    [0, 1, 2, 3, 4].map((least) => held.countOf([1, 2, 3, 4, 5], least)),
    [3, 3, 3, 3, 0],
    'or at least so much',
  )
})

t.test('beyond the bound the oldest are forgotten, the deepest of them first', async (t) => {
  const held = new HeldPrefixes([], 6)
  held.note([1, 2, 3])
  held.note([11, 12, 13])
  held.note([21, 22])
  t.equal(held.size, 6)
  t.equal(held.countOf([1, 2, 3]), 1)
  t.equal(held.countOf([11, 12, 13]), 3)
  t.equal(held.countOf([21, 22]), 2)
})

t.test('what is used again is kept, and what it shares with others', async (t) => {
  const held = new HeldPrefixes([], 6)
  held.note([1, 2, 3])
  held.note([11, 12, 13])
  held.note([1, 2, 4])
  t.equal(held.countOf([1, 2, 3]), 2, 'the oldest, and what the two do not share')
  t.equal(held.countOf([11, 12, 13]), 3)
  held.note([21, 22, 23])
  t.equal(held.countOf([1, 2, 4]), 3)
  t.equal(held.countOf([11, 12, 13]), 0)
})

t.test('a prompt that is longer than the bound is held from its start', async (t) => {
  const held = new HeldPrefixes([], 3)
  held.note([1, 2, 3, 4, 5])
  t.equal(held.countOf([1, 2, 3, 4, 5]), 3)
})

t.test('as JSON and back it forgets in the same order', async (t) => {
  const held = new HeldPrefixes([], 4)
  held.note([1, 2])
  held.note([11, 12])
  held.note([1, 2])
  const copy = new HeldPrefixes(JSON.parse(JSON.stringify(held)) as number[], 4)
  for (const one of [held, copy]) one.note([21])
  t.same(copy.toJSON(), held.toJSON())
  t.equal(copy.countOf([11, 12]), 1)
  t.equal(copy.countOf([1, 2]), 2)
})
