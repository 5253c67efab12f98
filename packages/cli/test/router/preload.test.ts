import { modelId, type SwapResult } from '@lswap/core'
import t from 'tap'
import { until } from './support/ask.ts'
import { model } from './support/config.ts'
import { startRig } from './support/rig.ts'

const TIMINGS = { stopMs: 0, memoryMs: 0, loadMs: 0 }
const FAILED: SwapResult = {
  outcome: 'failed',
  failure: { code: 'start_failed', message: 'no such file' },
  evictions: [],
  timings: TIMINGS,
}

t.test(
  'models of the preload list are made ready in its order, without a request to them; one that fails stops none',
  async (t) => {
    const { agent, log } = await startRig(t, {
      models: [model('a'), model('b'), model('c')],
      config: { preload: [modelId('c'), modelId('b'), modelId('a')] },
      load: async ({ model: id }) => (String(id) === 'b' ? FAILED : undefined),
    })
    const said = (): readonly unknown[] =>
      log.lines
        .filter(({ message }) => message.includes('preloaded'))
        .map(({ fields, message }) => [fields['model'], message])
    await until('all three were tried', () => said().length === 3)
    t.same(said(), [
      ['c', 'preloaded'],
      ['b', 'not preloaded'],
      ['a', 'preloaded'],
    ])
    t.same(
      agent.swaps.map(({ model: id }) => id),
      ['c', 'b', 'a'],
    )
    t.same(agent.forwards, [])
  },
)

t.test('the next one waits until the one before is ready', async (t) => {
  const ready: (() => void)[] = []
  const { agent } = await startRig(t, {
    config: { preload: [modelId('a'), modelId('b')] },
    load: () =>
      new Promise((resolve) => {
        ready.push(() => resolve(undefined))
      }),
  })
  await until('the first loads', () => ready.length === 1)
  t.same(
    agent.swaps.map(({ model: id }) => id),
    ['a'],
  )
  ready[0]?.()
  await until('the second loads', () => ready.length === 2)
  ready[1]?.()
  await until('it is there', () => agent.running.has(modelId('b')))
})
