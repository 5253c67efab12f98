import { randomInt } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { atEnd, scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { TLS_FILES } from '../fixtures.ts'
import { type Ended, run, start, type RunningCommand } from './command.ts'
import { type Journal, journal } from './journal.ts'
import { gone } from './processes.ts'
import { FAKE_ENGINE } from './programs.ts'
import { until } from './until.ts'

/** A running `lswap agent` or `lswap serve`. */
export interface Program {
  readonly url: string
  readonly pid: number
  readonly ended: Promise<Ended>
  readonly signal: (name: NodeJS.Signals) => void
  readonly stderr: () => string
  /** The configuration of a router. */
  readonly file?: string
}

/** One machine with its agent. */
export interface HostRig {
  readonly id: string
  /** The agent that runs now. */
  agent(): Program
  /** Starts it again, at the same address. */
  restart(): Promise<Program>
  readonly journal: Journal
  readonly tokenFile: string
  readonly port: number
  readonly folder: string
}

export interface FleetRig {
  readonly hosts: ReadonlyMap<string, HostRig>
  host(id: string): HostRig
  /** Starts a router for all of them. */
  router(yaml?: string): Promise<Program>
  /** A command of the CLI that talks to a router. */
  lswap(router: Program, ...argv: readonly string[]): Promise<Ended>
}

const LISTENING = /listening on (https?:\/\/\S+)/

const program = async (t: Test, { child, ended }: RunningCommand): Promise<Program> => {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  atEnd(t, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await ended
  })
  const url = await until('it listens', () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${stderr}`)
    return LISTENING.exec(stdout)?.[1]
  })
  return { url, pid: child.pid ?? 0, ended, signal: (name) => child.kill(name), stderr: () => stderr }
}

/** Machines with agents, each with these models: switches of the simulated engine by id. */
export const fleet = async (
  t: Test,
  given: Readonly<Record<string, Readonly<Record<string, string>>>>,
  /** Speaks HTTPS, by the certificate of `localhost`. */
  { tls = false, agentEnv = {} }: { readonly tls?: boolean; readonly agentEnv?: Readonly<Record<string, string>> } = {},
): Promise<FleetRig> => {
  const folder = scratch(t)
  const hosts = new Map<string, HostRig>()
  for (const [id, models] of Object.entries(given))
    hosts.set(id, await hostOf(t, { id, models, folder: join(folder, id), tls, agentEnv }))
  const host = (id: string): HostRig => {
    const found = hosts.get(id)
    if (found === undefined) throw new Error(`no host ${id}`)
    return found
  }
  let routers = 0
  return {
    hosts,
    host,
    router: async (yaml = '') => {
      routers += 1
      const home = join(folder, `router-${routers}`)
      await mkdir(home)
      const ids = [...new Set(Object.values(given).flatMap((models) => Object.keys(models)))]
      const trusted = tls ? `, tls: { caFile: "${TLS_FILES.cert}" }` : ''
      const agents = [...hosts.values()].map(
        ({ id, port, tokenFile }) =>
          `  - { id: ${id}, url: "${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}", tokenFile: "${tokenFile}"${trusted} }`,
      )
      const text = `embeddedAgent: false\nagents:\n${agents.join('\n')}\nmodels:\n${ids.map((id) => `  ${id}: {}\n`).join('')}${yaml}`
      const file = join(home, 'lswap.yaml')
      await writeFile(file, text)
      const argv = ['serve', '--listen', '127.0.0.1:0', '--log-format', 'json']
      return { ...(await program(t, start(argv, { cwd: home, env: { LSWAP_STATE_DIR: join(home, 'state') } }))), file }
    },
    lswap: (router, ...argv) => run(argv, { cwd: folder, env: { LSWAP_URL: router.url } }),
  }
}

const hostOf = async (
  t: Test,
  {
    id,
    models,
    folder,
    tls,
    agentEnv,
  }: {
    readonly id: string
    readonly models: Readonly<Record<string, string>>
    readonly folder: string
    readonly tls: boolean
    readonly agentEnv: Readonly<Record<string, string>>
  },
): Promise<HostRig> => {
  await mkdir(folder)
  const journalFile = join(folder, 'journal.ndjson')
  // Named like the real one: an engine that the agent recognises ends with the agent, however that ends
  const engine = join(folder, 'llama-server.mjs')
  await writeFile(engine, `import ${JSON.stringify(pathToFileURL(FAKE_ENGINE).href)}\n`)
  const entries = Object.entries(models).map(([model, switches]) => {
    const command = `"${process.execPath}" "${engine}" --port \${PORT} --alias ${model} --journal "${journalFile}" ${switches}`
    return `  ${model}:\n    cmd: ${JSON.stringify(command)}\n`
  })
  await writeFile(join(folder, 'lswap.yaml'), `startPort: ${randomInt(10_000, 31_000)}\nmodels:\n${entries.join('')}`)
  const stateDir = join(folder, 'state')
  const secure = tls ? ['--tls-cert', TLS_FILES.cert, '--tls-key', TLS_FILES.key] : []
  let port = 0
  const begin = (): Promise<Program> =>
    program(
      t,
      start(['agent', '--listen', `127.0.0.1:${port}`, '--log-format', 'json', '--state-dir', stateDir, ...secure], {
        cwd: folder,
        env: agentEnv,
      }),
    )
  const book = journal(journalFile)
  atEnd(t, async () => {
    for (const pid of new Set((await book.lines()).map((line) => line.pid))) await gone(pid)
  })
  let agent = await begin()
  port = Number(new URL(agent.url).port)
  return {
    id,
    agent: () => agent,
    restart: async () => {
      agent = await begin()
      return agent
    },
    journal: book,
    tokenFile: join(stateDir, 'agent.token'),
    port,
    folder,
  }
}

/** A call to an agent, by hand. */
export const callAgent = async (host: HostRig, path: string, init: RequestInit = {}): Promise<Response> => {
  const token = (await readFile(host.tokenFile, 'utf8')).trim()
  return fetch(`http://127.0.0.1:${host.port}${path}`, {
    ...init,
    headers: { 'x-lswap-agent-token': token, 'content-type': 'application/json' },
  })
}
