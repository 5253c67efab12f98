import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { CLI } from './programs.ts'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

export interface CommandOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What the command line begins with. */
  readonly through?: readonly string[]
}

/**
 * Nothing of the person's own settings reaches a test; certificates that nobody needs cost 50 ms a start. What the runner
 * keeps compiled is used here, too.
 */
const cleanEnv = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  ...(process.env['NODE_COMPILE_CACHE'] === undefined ? {} : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
})

/** No command of a test may take longer. */
const LIMIT_MS = 240_000

/** Starts the compiled CLI in a process of its own. */
export const start = (argv: readonly string[], options: CommandOptions = {}): RunningCommand => {
  const [file = process.execPath, ...words] = [...(options.through ?? []), process.execPath, CLI, ...argv]
  const child = spawn(file, words, {
    cwd: options.cwd,
    env: { ...cleanEnv(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  const exit = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(([end, stdout, stderr]) => ({
    ...end,
    stdout,
    stderr,
  }))
  return { child, ended }
}

/** Runs the CLI to its end. */
export const run = (argv: readonly string[], options: CommandOptions = {}): Promise<Ended> => start(argv, options).ended
