import t from 'tap'
import { agentMetricsSchema, type AgentMetrics } from '../../../src/protocol/index.ts'

const device = {
  name: 'gpu0',
  label: 'NVIDIA L4',
  source: 'nvidia',
  totalBytes: 24 * 2 ** 30,
  usedBytes: null,
  use: 0.5,
  temperatureC: null,
  powerWatts: null,
  sampledAt: 5,
}
const process = {
  model: 'm',
  epoch: 1,
  pid: 7,
  memoryBytes: 1,
  deviceBytes: { gpu0: 2 },
  engine: { running: 2, deferred: 1, sampledAt: 4 },
}
const snapshot: AgentMetrics = { at: 6, memory: null, devices: [device], processes: [process] }

t.test('a snapshot of a machine survives the wire, unknown fields ignored', async (t) => {
  const wire = JSON.parse(JSON.stringify({ ...snapshot, later: true })) as unknown
  t.same(agentMetricsSchema.parse(wire), snapshot)
})

t.test('a snapshot with a wrong type is refused, with its path', async (t) => {
  const { error } = agentMetricsSchema.safeParse({ ...snapshot, devices: [{ ...device, usedBytes: 'a lot' }] })
  t.same(error?.issues[0]?.path, ['devices', 0, 'usedBytes'])
})
