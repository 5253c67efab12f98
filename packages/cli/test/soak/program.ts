import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CLI } from '../e2e/programs.ts'
import { until } from '../e2e/until.ts'

/** A program of a soak, that is killed and started again. Orders to it are carried out one after the other. */
export interface Program {
  readonly url: () => string
  /** Resolves when it listens, rejects when it did not come back. */
  up(): Promise<void>
  /** Whether it was not there, or another one, at some time since then. */
  readonly wasDownSince: (time: number) => boolean
  start(): Promise<void>
  /** Ends it and starts it again. */
  again(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Holds it up. */
  pause(ms: number): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Ends it for good; gives its exit code. */
  end(): Promise<number | null>
  destroy(): void
  readonly log: string
}

export interface ProgramOptions {
  readonly folder: string
  readonly command: 'agent' | 'serve'
}

const LISTENING = /listening on (http:\/\/\S+)/
const START_MS = 60_000

export const program = ({ folder, command }: ProgramOptions): Program => {
  const log = join(folder, 'log.ndjson')
  let child: ChildProcess | undefined
  let url = ''
  let port = 0
  let upAt = Infinity
  let last: Promise<unknown> = Promise.resolve()

  const isUp = (): boolean => upAt !== Infinity

  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const done = last.then(act)
    last = done.catch(() => {})
    return done
  }

  const begin = async (): Promise<void> => {
    const file = await open(log, 'a')
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LSWAP_STATE_DIR: join(folder, 'state') }
    const started = spawn(process.execPath, [CLI, command, '--listen', `127.0.0.1:${port}`, '--log-format', 'json'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', file.fd],
    })
    child = started
    await file.close()
    let said = ''
    started.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    url = await until(
      `${command} in ${folder} listens`,
      () => {
        if (started.exitCode !== null) throw new Error(`it ended with ${started.exitCode}: see ${log}`)
        return LISTENING.exec(said)?.[1]
      },
      START_MS,
    )
    port = Number(new URL(url).port)
    upAt = performance.now()
  }

  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ending = child
    if (ending === undefined) return null
    upAt = Infinity
    if (ending.exitCode === null && ending.signalCode === null) {
      const ended = once(ending, 'close')
      ending.kill(signal)
      await ended
    }
    return ending.exitCode
  }

  return {
    log,
    url: () => url,
    up: async () => {
      for (let orders = last; !isUp(); orders = last) {
        await orders
        if (!isUp() && orders === last) throw new Error(`it did not come back: see ${log}`)
      }
    },
    wasDownSince: (time) => !isUp() || time <= upAt,
    start: () => inTurn(begin),
    again: (signal) =>
      inTurn(async () => {
        await stop(signal)
        await begin()
      }),
    pause: (ms) =>
      inTurn(async () => {
        child?.kill('SIGSTOP')
        await new Promise((resolve) => void setTimeout(resolve, ms))
        child?.kill('SIGCONT')
      }),
    signal: (name) => {
      if (isUp()) child?.kill(name)
    },
    end: () => inTurn(() => stop('SIGTERM')),
    destroy: () => {
      if (child?.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
    },
  }
}
