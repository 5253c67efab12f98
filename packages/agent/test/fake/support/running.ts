import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { atEnd, type Ending } from '@lswap/core/test-support'
import { freePort } from './free-port.ts'
import type { EngineUnderTest } from './engines.ts'
import { ask } from './http.ts'
import { until } from './until.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  /** `performance.now()` when it was seen. */
  readonly at: number
}

export interface RunningEngine {
  readonly pid: number
  readonly port: number
  readonly stdin: Writable
  /** Resolves when the process has ended and its pipes are closed. */
  readonly exited: Promise<Exit>
  hasExited(): boolean
  /** What it writes from now on goes nowhere. */
  closeOutputs(): void
  stdout(): string
  stderr(): string
  kill(signal: NodeJS.Signals): void
  ready(): Promise<void>
}

interface Settings {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly port?: number
  /** Puts it into a process group of its own; the whole group is killed in the end. */
  readonly group?: boolean
}

export const ALIAS = 'the-alias'

/** Starts an engine that ends with the test. */
export async function startEngine(t: Ending, engine: EngineUnderTest, settings: Settings = {}): Promise<RunningEngine> {
  const port = settings.port ?? (await freePort())
  const args = [
    ...engine.args,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--alias',
    ALIAS,
    ...(settings.args ?? []),
  ]
  const child = spawn(engine.program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: settings.group === true,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '', ...settings.env },
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${engine.program} did not start`)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  child.stdin.on('error', () => {})
  let ended = false
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', () => (ended = true))
    child.once('close', (code, signal) => resolve({ code, signal, at: performance.now() }))
  })
  const end = (): void => {
    process.off('exit', end)
    if (settings.group === true) killGroup(pid)
    else child.kill('SIGKILL')
  }
  atEnd(t, async () => {
    end()
    if (!ended) await once(child, 'exit')
  })
  // A test file that dies has no teardown.
  process.once('exit', end)
  return {
    pid,
    port,
    stdin: child.stdin,
    exited,
    hasExited: () => ended,
    closeOutputs() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => void child.kill(signal),
    async ready() {
      await until('the engine is ready', async () => {
        if (ended) throw new Error(`the engine ended: ${output.stderr.slice(-500)}`)
        return (await ask(port, '/health')).status === 200
      })
    },
  }
}

export async function readyEngine(t: Ending, engine: EngineUnderTest, settings: Settings = {}): Promise<RunningEngine> {
  const running = await startEngine(t, engine, settings)
  await running.ready()
  return running
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // nobody of the group is left
  }
}
