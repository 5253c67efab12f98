import { hostId, modelId } from '@lswap/core'
import t from 'tap'
import type { AgentEvent } from '../../src/agent.ts'
import { createEpochs } from '../../src/client/epochs.ts'
import { createTold } from '../../src/client/told.ts'
import { SILENT } from '../../src/logs/logger.ts'

const host = hostId('box')

const rig = () => {
  const events: AgentEvent[] = []
  const epochs = createEpochs(10)
  epochs.begin('x')
  const told = createTold({
    host,
    log: SILENT,
    emit: (event) => events.push(event),
    about: { learn: () => Promise.reject(new Error('nobody asks')) },
    contact: { restart: () => {}, suspect: async () => {} },
    epochs,
    exits: { tell: () => {} },
    memory: { sampled: () => {} },
    onMetrics: () => {},
  })
  return { events, told }
}

t.test('a process that is being ended is told at once, by our number; other phases are in the list', async (t) => {
  const { events, told } = rig()
  const changed = { type: 'process-changed', number: 1, at: 0, model: 'a' } as const
  told({ ...changed, phase: 'ready', epoch: 3 })
  told({ ...changed, phase: 'stopped', epoch: 3 })
  told({ ...changed, phase: 'stopping', epoch: null })
  t.same(events, [])
  told({ ...changed, phase: 'stopping', epoch: 3 })
  t.same(events, [{ type: 'process-leaving', placement: { host, model: modelId('a') }, epoch: 13 }])
})

t.test('models with another definition are told before anything is read anew', async (t) => {
  const { events, told } = rig()
  told({ type: 'changed', number: 1, at: 0 })
  t.same(events, [])
  told({ type: 'changed', number: 2, at: 0, models: ['a'] })
  t.same(events, [{ type: 'redefined', models: ['a'] }])
})
