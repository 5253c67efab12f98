import t from 'tap'
import { drawExponential, drawPlace, drawTokens, seededRandom } from '../../src/simulate/random.ts'

const many = (count: number, draw: () => number): number[] => Array.from({ length: count }, draw)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

t.test('the numbers of mulberry32, as others know them', async (t) => {
  const random = seededRandom(1)
  t.same(
    many(3, random).map((value) => Math.round(value * 2 ** 32)),
    [2_693_262_067, 11_749_833, 2_265_367_787],
  )
})

t.test('a seed is a sequence of its own', async (t) => {
  t.same(many(20, seededRandom(7)), many(20, seededRandom(7)))
  t.notSame(many(20, seededRandom(7)), many(20, seededRandom(8)))
})

t.test('draws have the mean that was asked for and stay in their range', async (t) => {
  const random = seededRandom(3)
  const gaps = many(20_000, () => drawExponential(random, 50))
  t.ok(Math.abs(mean(gaps) - 50) < 2, `mean gap ${mean(gaps)}`)
  t.ok(Math.min(...gaps) >= 0 && Math.max(...gaps) < Infinity)
  const over = gaps.filter((gap) => gap > 100).length / gaps.length
  t.ok(Math.abs(over - Math.exp(-2)) < 0.01, `as many long ones as an exponential has: ${over}`)
  const tokens = many(20_000, () => drawTokens(random, 80))
  t.ok(Math.abs(mean(tokens) - 80) < 3, `mean length ${mean(tokens)}`)
  t.ok(tokens.every((count) => Number.isInteger(count) && count >= 1))
  t.same(
    [...new Set(many(500, () => drawPlace(random, 4)))].toSorted((a, b) => a - b),
    [0, 1, 2, 3],
  )
})
