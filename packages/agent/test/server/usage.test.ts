import { modelId } from '@lswap/core'
import t from 'tap'
import { createUsage } from '../../src/server/usage.ts'

t.test('all models together: whether a request runs, and how many have ended', async (t) => {
  const usage = createUsage(() => 0)
  t.same(usage.all(), { isBusy: false, count: 0 })
  const [first, second] = [usage.begin(modelId('a')), usage.begin(modelId('b'))]
  t.same(usage.all(), { isBusy: true, count: 0 })
  first()
  first()
  t.same(usage.all(), { isBusy: true, count: 1 })
  second()
  t.same(usage.all(), { isBusy: false, count: 2 })
})
