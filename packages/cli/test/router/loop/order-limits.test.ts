import { generation, LOCAL_HOST, modelId } from '@lswap/core'
import t from 'tap'
import { orderLimits, SLACK_MS } from '../../../src/router/loop/order-limits.ts'
import { model } from '../support/config.ts'

t.test('an order may take as long as the configuration lets all of it take, as that is now', async (t) => {
  let models = [
    model('a', { unloadTimeoutMs: 10_000, healthCheckTimeoutMs: 120_000 }),
    model('b', { unloadTimeoutMs: 30_000 }),
  ]
  const limits = orderLimits(() => models)
  const swap = { generation: generation(1), model: modelId('a'), host: LOCAL_HOST, evict: [] }
  t.equal(limits.stopMs([modelId('a'), modelId('b')]), 30_000 + SLACK_MS, 'they end beside each other')
  t.equal(limits.swapMs(swap), 120_000 + 10_000 + SLACK_MS, 'the load, and its end when it fails')
  t.equal(limits.swapMs({ ...swap, evict: [modelId('b')] }), 30_000 + 120_000 + 10_000 + SLACK_MS)
  models = [model('a', { unloadTimeoutMs: 1_000, healthCheckTimeoutMs: 2_000 })]
  t.equal(limits.swapMs(swap), 3_000 + SLACK_MS)
  t.ok(limits.stopMs([modelId('gone')]) > SLACK_MS, 'what has left the configuration still has to end')
})
