import { randomInt } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atEnd, scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { TLS_FILES } from '../fixtures.ts'
import { type Ended, run, start, type RunningCommand } from './command.ts'
import { type EngineBench, engineBench } from './engine-bench.ts'
import { type Journal, journal } from './journal.ts'
import { gone } from './processes.ts'
import { until } from './until.ts'

/** A running `lswap agent` or `lswap serve`. */
export interface Program {
  readonly url: string
  readonly pid: number
  readonly ended: Promise<Ended>
  readonly signal: (name: NodeJS.Signals) => void
  readonly stderr: () => string
  readonly isAlive: () => boolean
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
  readonly bench: EngineBench
  readonly tokenFile: string
  readonly port: number
  readonly address: string
  readonly folder: string
}

type Environment = Readonly<Record<string, string>>

export interface FleetOptions {
  /** Speaks HTTPS, by the certificate of `localhost`. */
  readonly tls?: boolean
  /** More lines of a model in the file of its agent, by id, each of them indented by nothing. */
  readonly perModel?: Readonly<Record<string, readonly string[]>>
  /** Another port that leads to an agent's, for routers. */
  readonly via?: (port: number) => Promise<number>
  /** Machines that are somewhere else. */
  readonly net?: Readonly<Record<string, { readonly through: readonly string[]; readonly address: string }>>
  /** More of an agent's environment, also as it is made from its folder. */
  readonly agentEnv?: Environment | ((folder: string) => Promise<Environment>)
}

/** An agent that is none of ours. */
export interface OtherAgent {
  readonly id: string
  readonly url: string
  /** It takes the token of this one. */
  readonly like: string
}

export interface FleetRig {
  readonly hosts: ReadonlyMap<string, HostRig>
  host(id: string): HostRig
  /** Starts a router for all of them. */
  router(yaml?: string, more?: readonly OtherAgent[]): Promise<Program>
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
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    signal: (name) => child.kill(name),
    stderr: () => stderr,
    isAlive: () => child.exitCode === null && child.signalCode === null,
  }
}

/** Machines with agents, each with these models: switches of the simulated engine by id. */
export const fleet = async (
  t: Test,
  given: Readonly<Record<string, Readonly<Record<string, string>>>>,
  options: FleetOptions = {},
): Promise<FleetRig> => {
  const { tls = false } = options
  const folder = scratch(t)
  const hosts = new Map<string, HostRig>()
  for (const [id, models] of Object.entries(given))
    hosts.set(id, await hostOf(t, { id, models, folder: join(folder, id) }, options))
  const host = (id: string): HostRig => {
    const found = hosts.get(id)
    if (found === undefined) throw new Error(`no host ${id}`)
    return found
  }
  const via = new Map<string, number>()
  for (const { id, port } of hosts.values()) via.set(id, (await options.via?.(port)) ?? port)
  let routers = 0
  return {
    hosts,
    host,
    router: async (yaml = '', more = []) => {
      routers += 1
      const home = join(folder, `router-${routers}`)
      await mkdir(home)
      const ids = [...new Set(Object.values(given).flatMap((models) => Object.keys(models)))]
      const trusted = tls ? `, tls: { caFile: "${TLS_FILES.cert}" }` : ''
      const urlOf = ({ id, address }: HostRig): string =>
        `${tls ? 'https://localhost' : `http://${address}`}:${via.get(id)}`
      const agents = [
        ...[...hosts.values()].map((one) => ({ id: one.id, url: urlOf(one), like: one.id })),
        ...more,
      ].map(({ id, url, like }) => `  - { id: ${id}, url: "${url}", tokenFile: "${host(like).tokenFile}"${trusted} }`)
      const text = `embeddedAgent: false\nagents:\n${agents.join('\n')}\nmodels:\n${ids.map((id) => `  ${id}: {}\n`).join('')}${yaml}`
      const file = join(home, 'lswap.yaml')
      await writeFile(file, text)
      const argv = ['serve', '--listen', '127.0.0.1:0', '--log-format', 'json']
      const env = { LSWAP_STATE_DIR: join(home, 'state') }
      return { ...(await program(t, start(argv, { cwd: home, env }))), file }
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
  }: {
    readonly id: string
    readonly models: Readonly<Record<string, string>>
    readonly folder: string
  },
  { tls = false, perModel = {}, agentEnv, net = {} }: FleetOptions,
): Promise<HostRig> => {
  await mkdir(folder)
  const journalFile = join(folder, 'journal.ndjson')
  const bench = await engineBench(folder)
  const entries = Object.entries(models).map(([model, switches]) => {
    const command = `"${process.execPath}" "${bench.engine}" --port \${PORT} --alias ${model} --journal "${journalFile}" ${switches}`
    const more = (perModel[model] ?? []).map((line) => `    ${line}\n`)
    return `  ${model}:\n    cmd: ${JSON.stringify(command)}\n${more.join('')}`
  })
  const env = typeof agentEnv === 'function' ? await agentEnv(folder) : (agentEnv ?? {})
  await writeFile(join(folder, 'lswap.yaml'), `startPort: ${randomInt(10_000, 31_000)}\nmodels:\n${entries.join('')}`)
  const stateDir = join(folder, 'state')
  const { through = [], address = '127.0.0.1' } = net[id] ?? {}
  const insecure = net[id] === undefined ? [] : ['--insecure']
  const secure = tls ? ['--tls-cert', TLS_FILES.cert, '--tls-key', TLS_FILES.key] : insecure
  let port = 0
  const begin = (): Promise<Program> =>
    program(
      t,
      start(['agent', '--listen', `${address}:${port}`, '--log-format', 'json', '--state-dir', stateDir, ...secure], {
        cwd: folder,
        env,
        through,
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
    bench,
    tokenFile: join(stateDir, 'agent.token'),
    port,
    address,
    folder,
  }
}

/** A call to an agent, by hand. */
export const callAgent = async (host: HostRig, path: string, init: RequestInit = {}): Promise<Response> => {
  const token = (await readFile(host.tokenFile, 'utf8')).trim()
  return fetch(`http://${host.address}:${host.port}${path}`, {
    ...init,
    headers: { 'x-lswap-agent-token': token, 'content-type': 'application/json' },
  })
}
