import { epoch, modelId, type ModelId } from '@lswap/core'
import t from 'tap'
import type { ProcessView } from '../../src/agent.ts'
import { startIdleUnload } from '../../src/server/idle.ts'
import { createUsage } from '../../src/server/usage.ts'
import { breath } from '../client/support/gate.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'

const A = modelId('a')
const B = modelId('b')

const rig = () => {
  const timers = createFakeTimers()
  const usage = createUsage(() => timers.now())
  const ended: ModelId[] = []
  const state = { isLive: false, views: [A, B].map((model) => view(model)) }
  const stop = startIdleUnload({
    agent: { processes: async () => state.views },
    models: () => [
      { id: A, idleMs: 10_000, pinned: false },
      { id: B, idleMs: 10_000, pinned: true },
    ],
    terms: { isLive: () => state.isLive },
    usage,
    timers,
    end: async (models) => void ended.push(...models),
  })
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      timers.advance(1_000)
      await breath()
    }
  }
  return { usage, ended, state, stop, pass }
}

const view = (model: ModelId): ProcessView => ({
  model,
  phase: 'ready',
  epoch: epoch(1),
  pid: 1,
  url: undefined,
  since: 0,
  memoryBytes: undefined,
  lastExit: undefined,
})

t.test('what nobody uses is unloaded while no router is there, what is pinned is not', async (t) => {
  const { ended, pass, stop } = rig()
  await pass(10)
  t.same(ended, [])
  await pass(2)
  t.same(ended, [A])
  stop()
})

t.test('with a router it is not our decision, and its time does not count', async (t) => {
  const { ended, pass, state, stop } = rig()
  state.isLive = true
  await pass(60)
  state.isLive = false
  await pass(10)
  t.same(ended, [])
  await pass(2)
  t.same(ended, [A])
  stop()
})

t.test('a request that runs keeps a model, and its time counts from the end of it', async (t) => {
  const { ended, pass, usage, stop } = rig()
  const leave = usage.begin(A)
  await pass(30)
  leave()
  await pass(9)
  t.same(ended, [])
  await pass(2)
  t.same(ended, [A])
  stop()
})
