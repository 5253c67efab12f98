/** A stream that people or programs read. */
export interface Output {
  write(text: string, done?: (error?: Error | null) => void): boolean
  readonly isTTY?: boolean
  /** Width of the terminal. */
  readonly columns?: number
}

/** Where keys come from, if a person sits there. */
export interface Input {
  readonly isTTY?: boolean
}

export type IoSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGCONT'

/** Everything that a command touches outside its arguments, so that tests can stand in for a terminal. */
export interface Io {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Takes the signal over from its default action until the returned function is called. */
  onSignal(signal: IoSignal, listener: () => void): () => void
  /** Hears of exceptions that nobody caught, until the returned function is called. */
  onCrash(listener: (error: unknown) => void): () => void
}

/** The real terminal, environment and signals. */
export const processIo = (): Io => {
  // A write reports its own failure (print/write.ts); without a listener the same error would also end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return {
    // Opened when it is asked for: what reads no keys leaves a pipe alone
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onSignal: (signal, listener) => {
      process.on(signal, listener)
      return () => process.off(signal, listener)
    },
    onCrash: (listener) => {
      process.on('uncaughtException', listener)
      return () => process.off('uncaughtException', listener)
    },
  }
}
