import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from './ask.mjs'
import { openLink } from './link.mjs'
import { engineEntry, loadByHand, startAgents, startRouter } from './programs.mjs'

/** Long enough that no answer has begun when its host goes. */
const FIRST_TOKEN_MS = 300
const LIMIT_MS = 20_000

/** How long from the last byte of a host that goes to the first byte of another one, without the engine's own time to its first token. */
export async function failover({ folder, kind, trials }) {
  const names = ['left', 'right']
  const journals = Object.fromEntries(names.map((name) => [name, join(folder, `${name}.journal`)]))
  const agents = new Map()
  for (const name of names) {
    const engine = engineEntry('m', `--first-token-ms ${FIRST_TOKEN_MS} --tokens 2 --journal ${journals[name]}`)
    const started = await startAgents({ folder: join(folder, name), names: [name], yaml: `models:\n${engine}` })
    agents.set(name, started.get(name))
  }
  const links = new Map()
  let router
  const agent = new Agent({ keepAlive: true })
  try {
    for (const [name, one] of agents) {
      await loadByHand(one, 'm')
      links.set(name, await openLink(one.port))
    }
    const dialled = [...agents].map(([name, one]) => [name, one, links.get(name).port])
    router = await startRouter({ folder: join(folder, 'router'), dialled, models: ['m'] })
    const figures = []
    for (let trial = 0; trial < trials; trial += 1) {
      const before = await counts(journals)
      const answer = ask({ port: router.port, agent, model: 'm', stream: true })
      const on = await first(async () => {
        const now = await counts(journals)
        return names.find((name) => now[name] > before[name])
      })
      const link = links.get(on)
      link.cut(kind)
      const { firstAt } = await answer
      figures.push(firstAt - link.lastByteAt() - FIRST_TOKEN_MS)
      await link.mend()
      await first(async () => (await isUp(router)) || undefined)
    }
    return figures
  } finally {
    agent.destroy()
    await router?.close()
    for (const link of links.values()) link.close()
    await Promise.all([...agents.values()].map((one) => one.close()))
  }
}

const counts = async (journals) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(journals).map(async ([name, file]) => [
        name,
        (await readFile(file, 'utf8').catch(() => '')).split('"path":"/v1/chat/completions"').length,
      ]),
    ),
  )

const isUp = async ({ url }) => (await (await fetch(`${url}/running`)).json()).hosts.every(({ up }) => up)

async function first(look) {
  const deadline = performance.now() + LIMIT_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`nothing within ${LIMIT_MS / 1000} s`)
    await pause(2)
  }
}
