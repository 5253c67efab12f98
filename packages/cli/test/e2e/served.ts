import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { type CommandOptions, type Ended, run } from './command.ts'
import { type Journal, journal } from './journal.ts'
import { isAlive } from './processes.ts'
import { FAKE_ENGINE } from './programs.ts'
import { serving } from './serving.ts'
import { until } from './until.ts'

export interface Served {
  readonly url: string
  /** Where its files are; the configuration is `lswap.yaml`. */
  readonly folder: string
  /** Changes the text of the configuration in place. */
  readonly edit: (change: (text: string) => string) => Promise<void>
  readonly pid: number
  readonly stateDir: string
  readonly journal: Journal
  /** A command of the CLI that talks to this router. */
  readonly lswap: (...argv: readonly string[]) => Promise<Ended>
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
  /** Waits until its log holds the text. */
  readonly logged: (part: string) => Promise<true>
  /** What it wrote to stderr until now. */
  readonly stderr: () => string
  /** And to stdout. */
  readonly stdout: () => string
}

export interface ServedOptions {
  /** Switches of the simulated engine by model id; an array instead of text: the whole command. */
  readonly models: Readonly<Record<string, string | readonly string[]>>
  /** More lines of the configuration, for the whole and for each model. */
  readonly yaml?: string
  readonly perModel?: string
  readonly command?: CommandOptions
  /** More words for `serve`, and files beside its configuration. */
  readonly argv?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** Environment of the commands that talk to it. */
  readonly clientEnv?: Readonly<Record<string, string>>
}

/** Runs `lswap serve` on a free port until the test ends, and then makes sure that nothing is left of it. */
export const served = async (t: Test, options: ServedOptions): Promise<Served> => {
  const folder = scratch(t)
  const journalFile = join(folder, 'journal.ndjson')
  // Named like the real one: an engine that the agent recognises ends with the agent, however that ends
  const engine = join(folder, 'llama-server.mjs')
  await writeFile(engine, `import ${JSON.stringify(pathToFileURL(FAKE_ENGINE).href)}\n`)
  for (const [name, content] of Object.entries(options.files ?? {})) await writeFile(join(folder, name), content)
  await writeFile(join(folder, 'lswap.yaml'), configText(options, { engine, journalFile }))
  const env = { LSWAP_STATE_DIR: join(folder, 'state'), ...options.command?.env }
  const book = journal(journalFile)
  const { url, child, ended, stdout, stderr } = await serving(t, {
    argv: ['--log-format', 'pretty', ...(options.argv ?? [])],
    cwd: folder,
    env,
    journal: book,
  })
  const file = join(folder, 'lswap.yaml')
  return {
    url,
    folder,
    edit: async (change) => writeFile(file, change(await readFile(file, 'utf8'))),
    pid: child.pid ?? 0,
    stateDir: env.LSWAP_STATE_DIR,
    journal: book,
    lswap: (...argv) => run(argv, { cwd: folder, env: { LSWAP_URL: url, ...options.clientEnv } }),
    signal: (name) => child.kill(name),
    ended,
    logged: (part) => until(`the log says "${part}"`, () => (stderr().includes(part) ? true : undefined)),
    stderr,
    stdout,
  }
}

/** The engines that a test started and that still live. */
export const enginesAlive = async (book: Journal): Promise<readonly number[]> => {
  const pids = [...new Set((await book.lines()).map(({ pid }) => pid))]
  const alive = await Promise.all(pids.map((pid) => isAlive(pid)))
  return pids.filter((_, at) => alive[at])
}

const configText = (
  { models, yaml = '', perModel = '' }: ServedOptions,
  { engine, journalFile }: { engine: string; journalFile: string },
): string => {
  const fake = (id: string, switches: string): string =>
    `${JSON.stringify(process.execPath)} ${JSON.stringify(engine)} --port \${PORT} --alias ${JSON.stringify(id)} --journal ${JSON.stringify(journalFile)} ${switches}`
  const entries = Object.entries(models).map(([id, given]) => {
    const command = typeof given === 'string' ? fake(id, given) : given.map((word) => JSON.stringify(word)).join(' ')
    const more = perModel === '' ? '' : `    ${perModel}\n`
    return `  ${JSON.stringify(id)}:\n    cmd: ${JSON.stringify(command)}\n${more}`
  })
  return `startPort: ${startPort()}\nmodels:\n${entries.join('')}${yaml}`
}

/** Model ids decide ports, and tests that run side by side use the same ids. */
const startPort = (): number => randomInt(10_000, 31_000)
