import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../../../scripts/lib/root.mjs'

const bundle = join(root, 'packages/cli/bundle')
const START_MS = 30_000

/** An entry of `models:` that runs the simulated engine as shipped. */
export const engineEntry = (id, switches) =>
  `  ${id}:\n    cmd: ${JSON.stringify(`"${process.execPath}" "${join(bundle, 'fake-llama.js')}" --port \${PORT} --alias ${id} ${switches}`)}\n`

/** `lswap serve` or `lswap agent` as shipped, with this configuration; its log goes to a file. */
export async function startProgram({ folder, command, yaml, env = {} }) {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'lswap.yaml'), yaml)
  const log = await open(join(folder, 'log.ndjson'), 'w')
  const argv = [join(bundle, 'cli.js'), command, '--listen', '127.0.0.1:0', '--log-format', 'json']
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', LSWAP_STATE_DIR: join(folder, 'state'), ...env },
    stdio: ['ignore', 'pipe', log.fd],
  })
  await log.close()
  const end = () => child.kill('SIGTERM')
  process.once('exit', end)
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /listening on (http:\/\/\S+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`lswap ${command} ended with ${code}: see ${folder}/log.ndjson`)))
    setTimeout(() => reject(new Error(`lswap ${command} was not up in time`)), START_MS).unref()
  })
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    folder,
    async close() {
      process.off('exit', end)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Agents by name, each with these entries of models. */
export const startAgents = async ({ folder, names, yaml }) => {
  const agents = new Map()
  for (const [at, name] of names.entries()) {
    const own = `startPort: ${11_000 + at * 1_001}\n${yaml}`
    agents.set(name, await startProgram({ folder: join(folder, name), command: 'agent', yaml: own }))
  }
  return agents
}

/** A router for agents: `[name, agent, port]`, the port where it is dialled. */
export const startRouter = ({ folder, dialled, models, more = '' }) => {
  const lines = dialled.map(
    ([name, agent, port]) =>
      `  - { id: ${name}, url: "http://127.0.0.1:${port ?? agent.port}", tokenFile: "${agent.folder}/state/agent.token" }\n`,
  )
  const yaml = `embeddedAgent: false\nagents:\n${lines.join('')}models:\n${models.map((id) => `  ${id}: {}\n`).join('')}${more}`
  return startProgram({ folder, command: 'serve', yaml })
}

/** Loads a model by hand, while no router is there: one that asks for a model gets one replica. */
export async function loadByHand(agent, model) {
  const token = (await readFile(join(agent.folder, 'state/agent.token'), 'utf8')).trim()
  const answer = await fetch(`${agent.url}/v1/swap`, {
    method: 'POST',
    headers: { 'x-lswap-agent-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ model, evict: [] }),
  })
  const text = await answer.text()
  if (!text.includes('"type":"ready"')) throw new Error(`${model} was not loaded: ${text}`)
}
