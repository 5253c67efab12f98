import type { Readable } from 'node:stream'
import { execa } from 'execa'
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
  /** Lets go of its pipes, whoever else still holds them. */
  release(): void
}

export interface SpawnOptions {
  readonly file: string
  readonly args: readonly string[]
  /** Everything: nothing is added. */
  readonly env: NodeJS.ProcessEnv
  /** Gets both output streams before anything can be lost. */
  readonly onOutput: (stream: Readable) => void
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
export const spawnChild = async ({ file, args, env, onOutput }: SpawnOptions): Promise<Spawned> => {
  const subprocess = execa(file, args, {
    env,
    extendEnv: false,
    detached: true,
    windowsHide: true,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    // Ending it, group and all, is ours: execa would signal the process alone.
    cleanup: false,
    reject: false,
    buffer: false,
  })
  const { pid, stdin, stdout, stderr } = subprocess
  if (pid === undefined) return { ok: false, message: (await subprocess).shortMessage ?? 'it could not be spawned' }

  let exit: Exit | undefined
  const exited = new Promise<Exit>((resolve) => {
    subprocess.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      exit = { code: code ?? undefined, signal: signal ?? undefined }
      resolve(exit)
    })
  })
  // Writes to a pipe whose reader ended are no news.
  stdin.on('error', () => {})
  onOutput(stdout)
  onOutput(stderr)

  const child: Child = {
    pid,
    family: createFamily(pid),
    exited,
    exit: () => exit,
    outputClosed: Promise.all([closed(stdout), closed(stderr)]),
    endInput: () => stdin.end(),
    release: () => [stdin, stdout, stderr].forEach((stream) => stream.destroy()),
  }
  return { ok: true, child }
}
