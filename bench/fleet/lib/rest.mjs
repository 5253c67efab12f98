import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros, residentMiB } from '../../proxy/lib/usage.mjs'
import { engineEntry, loadByHand, startAgents, startRouter } from './programs.mjs'

const SETTLED_MS = 40_000

/** The share of a core and the memory that an agent needs whose one model nobody asks for, with a router. */
export async function atRest({ folder, seconds }) {
  const agents = await startAgents({ folder, names: ['h0'], yaml: `models:\n${engineEntry('m', '')}` })
  const agent = agents.get('h0')
  await loadByHand(agent, 'm')
  const router = await startRouter({ folder: join(folder, 'router'), dialled: [...agents], models: ['m'] })
  try {
    // What the start left to be compiled and collected is none of rest: an agent collects it after half a minute
    await pause(Math.min(SETTLED_MS, seconds * 3_000))
    const before = cpuMicros(agent.pid)
    await pause(seconds * 1000)
    return { core: (cpuMicros(agent.pid) - before) / 1e6 / seconds, memoryMiB: residentMiB(agent.pid) }
  } finally {
    await router.close()
    await agent.close()
  }
}
