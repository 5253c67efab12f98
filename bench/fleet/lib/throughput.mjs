import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { cpuMicros } from '../../proxy/lib/usage.mjs'
import { ask } from './ask.mjs'
import { engineEntry, loadByHand, startAgents, startRouter } from './programs.mjs'

const SLOTS = 4
/** One answer takes this long: an engine serves twenty a second, whatever the machine could do. */
const ANSWER_MS = 200

/** Requests a second of as many agents, the router's processor time, and how long requests with a free slot waited for their grant. */
export async function throughput({ folder, count, seconds }) {
  const names = Array.from({ length: count }, (_, at) => `h${at}`)
  const yaml = `models:\n${engineEntry('m', `--parallel ${SLOTS} --first-token-ms ${ANSWER_MS} --tokens 1`)}`
  const agents = await startAgents({ folder, names, yaml })
  let router
  try {
    await Promise.all([...agents.values()].map((agent) => loadByHand(agent, 'm')))
    router = await startRouter({ folder: join(folder, 'router'), dialled: [...agents], models: ['m'] })
    const full = await load(router, { clients: count * SLOTS, seconds })
    const before = (await records(router)).length
    // Half of the slots stay free: nobody waits but for the decision
    await load(router, { clients: Math.max(1, (count * SLOTS) / 2), seconds: seconds / 2 })
    const grants = (await records(router)).slice(before).map(({ waitMs }) => waitMs)
    return { count, ...full, grants }
  } finally {
    await router?.close()
    await Promise.all([...agents.values()].map((agent) => agent.close()))
  }
}

async function load({ port, pid }, { clients, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  let done = 0
  const began = performance.now()
  let from
  let until = began + 500 + seconds * 1000
  let cpu
  const client = async () => {
    while (performance.now() < until) {
      await ask({ port, agent, model: 'm' })
      const now = performance.now()
      if (now < began + 500) continue
      if (from === undefined) {
        from = now
        until = now + seconds * 1000
        cpu = cpuMicros(pid)
      } else if (now <= until) done += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const elapsed = (performance.now() - from) / 1000
  const core = (cpuMicros(pid) - cpu) / 1e6 / elapsed
  agent.destroy()
  return { rate: done / seconds, core }
}

const records = async ({ folder }) =>
  (await readFile(join(folder, 'log.ndjson'), 'utf8'))
    .split('\n')
    .filter((line) => line.includes('"request ended"'))
    .map((line) => JSON.parse(line))
    .filter(({ model }) => model === 'm')
