import { agentMetricsSchema } from '@lswap/core/protocol'
import t from 'tap'
import { model } from '../process/support/models.ts'
import { agentOf } from './support/agents.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

t.test('metrics tell of the machine and of what runs on it, and fit the wire', async (t) => {
  const [a, b] = [model('a'), model('b')]
  const { agent, order } = await agentOf(t, [a, b])
  await agent.swap(order(a))
  const [view] = await agent.processes()
  const metrics = await agent.metrics()
  t.same(agentMetricsSchema.parse(JSON.parse(JSON.stringify(metrics))), metrics)
  t.match(metrics.processes, [{ model: 'a', epoch: 1, pid: view?.pid }], 'what is stopped is left out')
  t.ok((metrics.processes[0]?.memoryBytes ?? 0) > 2 ** 20)
  agent.reconfigure([a, b], new Map([['npu', 2 ** 30]]))
  t.match((await agent.metrics()).devices, [{ name: 'npu', totalBytes: 2 ** 30 }])
})
