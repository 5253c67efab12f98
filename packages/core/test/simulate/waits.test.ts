import t from 'tap'
import { jainIndex, percentile, summariseWaits } from '../../src/simulate/waits.ts'

t.test('percentiles are waits that occurred: the nearest rank', async (t) => {
  const hundred = Float64Array.from({ length: 100 }, (_, place) => place + 1)
  t.equal(percentile(hundred, 0.5), 50)
  t.equal(percentile(hundred, 0.95), 95)
  t.equal(percentile(hundred, 0.99), 99)
  t.equal(percentile(hundred, 1), 100)
  t.equal(percentile(hundred, 0), 1)
  t.equal(percentile(Float64Array.of(7), 0.95), 7)
  t.equal(percentile(Float64Array.of(1, 2), 0.5), 1)
  t.equal(percentile(Float64Array.of(1, 2), 0.51), 2)
  t.equal(percentile(new Float64Array(0), 0.5), undefined)
})

t.test('a summary sorts numbers as numbers', async (t) => {
  t.same(summariseWaits(Float64Array.of(100, 9, 20)), {
    count: 3,
    meanMs: 43,
    p50Ms: 20,
    p95Ms: 100,
    p99Ms: 100,
    maxMs: 100,
  })
  const nothing = { meanMs: undefined, p50Ms: undefined, p95Ms: undefined, p99Ms: undefined, maxMs: undefined }
  t.same(summariseWaits(new Float64Array(0)), { count: 0, ...nothing })
})

t.test('Jain’s index', async (t) => {
  t.equal(jainIndex([3, 3, 3]), 1)
  t.equal(jainIndex([1, 0, 0, 0]), 0.25)
  t.equal(jainIndex([1, 3]), 16 / 20)
  t.equal(jainIndex([]), 1)
  t.equal(jainIndex([0, 0]), 1)
})
