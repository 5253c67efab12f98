import { spawn, type ChildProcess } from 'node:child_process'
import { open } from 'node:fs/promises'
import { platform } from 'node:process'
import type { Readable } from 'node:stream'
import { execa } from 'execa'
import { tailFile } from '../logs/file-tail.ts'
import { createFamily } from './family.ts'
import type { Family } from './family.ts'

/** How a process ended: one of the two is set. */
export interface Exit {
  readonly code: number | undefined
  readonly signal: NodeJS.Signals | undefined
}

/** A process that was started and perhaps still runs. */
export interface Child {
  readonly pid: number
  readonly family: Family
  readonly exited: Promise<Exit>
  /** How it ended, once it has. */
  exit(): Exit | undefined
  /** Resolves when nobody holds its output any more, grandchildren included. */
  readonly outputClosed: Promise<unknown>
  /** Closes its stdin, which some engines take as the order to end. */
  endInput(): void
  /** Lets go of its output, whoever else still holds it. */
  release(): void
}

export interface SpawnOptions {
  readonly file: string
  readonly args: readonly string[]
  /** Everything: nothing is added. */
  readonly env: NodeJS.ProcessEnv
  /** Gets both output streams before anything can be lost. */
  readonly onOutput: (stream: Readable) => void
  /** Both streams go into this file, and nothing ties the process to us: it may outlive us. */
  readonly outputFile?: string | undefined
}

export type Spawned = { readonly ok: true; readonly child: Child } | { readonly ok: false; readonly message: string }

const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream.once('close', resolve)
  })

/**
 * Starts a process as leader of a group of its own, without a shell. Its stdin stays open until it ends or this
 * process does: an engine that watches it ends with us.
 */
export const spawnChild = async (options: SpawnOptions): Promise<Spawned> => {
  const { outputFile } = options
  try {
    return await (outputFile === undefined ? spawnGuarded(options) : spawnFree({ ...options, outputFile }))
  } catch (error) {
    // Arguments or an environment that the system does not take are thrown
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

/** How the process ends, told as soon as it did, whoever holds its pipes. */
const watchExit = (subprocess: Pick<ChildProcess, 'once'>) => {
  let exit: Exit | undefined
  const exited = new Promise<Exit>((resolve) => {
    subprocess.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      exit = { code: code ?? undefined, signal: signal ?? undefined }
      resolve(exit)
    })
  })
  return { exited, exit: () => exit }
}

const spawnFree = async (options: SpawnOptions & { readonly outputFile: string }): Promise<Spawned> => {
  const { file, args, env, outputFile, onOutput } = options
  // Appends, so that the file can be emptied under the process
  const handle = await open(outputFile, 'a', 0o600)
  try {
    const tail = tailFile({ path: outputFile })
    const subprocess = spawn(file, args, {
      env,
      detached: true,
      windowsHide: true,
      // A descriptor of ours, which execa does not pass on
      stdio: ['ignore', handle.fd, handle.fd],
    })
    const failed = new Promise<Error>((resolve) => {
      subprocess.once('error', resolve)
    })
    const { pid } = subprocess
    if (pid === undefined) {
      tail.release()
      return { ok: false, message: (await failed).message }
    }
    const { exited, exit } = watchExit(subprocess)
    void exited.then(() => tail.end())
    onOutput(tail.stream)
    // A process of its own must not keep us from ending
    subprocess.unref()
    const child: Child = {
      pid,
      family: createFamily(pid),
      exited,
      exit,
      outputClosed: closed(tail.stream),
      endInput: () => {},
      release: () => tail.release(),
    }
    return { ok: true, child }
  } finally {
    await handle.close()
  }
}

interface Started {
  readonly subprocess: ChildProcess
  /** Why there is no process, where there is none. */
  readonly failed: Promise<string>
}

/**
 * Without a shell. On Windows a library finds what runs a script; elsewhere it costs as much processor time again as the start
 * itself, which every swap waits for.
 */
const startPiped = ({ file, args, env }: SpawnOptions): Started => {
  if (platform === 'win32') {
    const subprocess = execa(file, args, {
      env,
      extendEnv: false,
      windowsHide: true,
      stdio: 'pipe',
      detached: true,
      // Ending it, group and all, is ours: execa would signal the process alone.
      cleanup: false,
      reject: false,
      buffer: false,
    })
    return { subprocess, failed: subprocess.then(({ shortMessage }) => shortMessage ?? 'it could not be spawned') }
  }
  const subprocess = spawn(file, args, { env, detached: true, stdio: 'pipe' })
  const failed = new Promise<string>((resolve) => {
    subprocess.on('error', ({ message }) => resolve(message))
  })
  return { subprocess, failed }
}

const spawnGuarded = async (options: SpawnOptions): Promise<Spawned> => {
  const { onOutput } = options
  const { subprocess, failed } = startPiped(options)
  const { pid, stdin, stdout, stderr } = subprocess
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    return { ok: false, message: await failed }
  }

  const { exited, exit } = watchExit(subprocess)
  // Writes to a pipe whose reader ended are no news.
  stdin.on('error', () => {})
  onOutput(stdout)
  onOutput(stderr)

  const child: Child = {
    pid,
    family: createFamily(pid),
    exited,
    exit,
    outputClosed: Promise.all([closed(stdout), closed(stderr)]),
    endInput: () => stdin.end(),
    release: () => [stdin, stdout, stderr].forEach((stream) => stream.destroy()),
  }
  return { ok: true, child }
}
