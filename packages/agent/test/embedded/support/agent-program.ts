import type { ModelConfig } from '@lswap/core'
import { generation } from '@lswap/core'
import { createEmbeddedAgent } from '../../../src/embedded/embedded-agent.ts'

// An agent in a process of its own, for tests that end it the hard way: loads every model, prints the pids, waits.

const { stateDir, models, fail, stop } = JSON.parse(process.argv[2] ?? '') as {
  stateDir: string
  models: ModelConfig[]
  fail?: boolean
  stop?: boolean
}
const agent = await createEmbeddedAgent({ models, stateDir })
for (const [at, { id, hosts }] of models.entries()) {
  const [host = agent.host] = hosts
  await agent.swap({ generation: generation(at + 1), model: id, host, evict: [] })
}
const views = await agent.processes()
process.stdout.write(`${JSON.stringify(views.map(({ pid }) => pid))}\n`)
if (fail === true) throw new Error('a bug of the agent')
if (stop === true)
  await agent.stop({ generation: generation(models.length + 1), models: models.map(({ id }) => id), drainMs: 0 })
setInterval(() => {}, 60_000)
