import type { Io, IoSignal, Output } from '../src/io.ts'

/** A terminal that remembers what was written, and whose signals a test sends. */
export interface Terminal extends Io {
  out(): string
  err(): string
  signal(name: IoSignal): void
  crash(error: unknown): void
  /** How many listeners are left; 0 once a command is over. */
  listeners(): number
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly isTTY?: boolean
  /** The error that every write to stdout ends in. */
  readonly brokenStdout?: NodeJS.ErrnoException
}

export const terminal = (options: TerminalOptions = {}): Terminal => {
  const out: string[] = []
  const err: string[] = []
  const signals = new Map<IoSignal, Set<() => void>>()
  const crashes = new Set<(error: unknown) => void>()
  const output = (lines: string[], broken?: NodeJS.ErrnoException): Output => ({
    isTTY: options.isTTY === true,
    columns: 80,
    write: (text, done) => {
      if (!broken) lines.push(text)
      done?.(broken ?? null)
      return true
    },
  })
  return {
    stdin: { isTTY: options.isTTY === true },
    stdout: output(out, options.brokenStdout),
    stderr: output(err),
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    onSignal: (name, listener) => {
      const listeners = signals.get(name) ?? new Set()
      signals.set(name, listeners.add(listener))
      return () => listeners.delete(listener)
    },
    onCrash: (listener) => {
      crashes.add(listener)
      return () => crashes.delete(listener)
    },
    out: () => out.join(''),
    err: () => err.join(''),
    signal: (name) => {
      for (const listener of signals.get(name) ?? []) listener()
    },
    crash: (error) => {
      for (const listener of crashes) listener(error)
    },
    listeners: () => crashes.size + [...signals.values()].reduce((sum, set) => sum + set.size, 0),
  }
}

/** An error of the operating system. */
export const systemError = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code })
