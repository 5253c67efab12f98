import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { settledWithin } from '../process/wait.ts'

export interface RunToolOptions {
  readonly signal: AbortSignal
  readonly limitMs: number
  /** More than this is none of a tool that works. */
  readonly maxBytes: number
}

/** A tool that is about to be needed. */
export interface ArmedTool {
  /** What it printed, begun by this call; undefined as of {@link runTool}. Once. */
  run(): Promise<string | undefined>
  /** It is not needed after all. */
  drop(): void
}

/** Waits for a line, then becomes the tool. */
const WAITING = 'read -r _ && exec "$0" "$@" </dev/null'

/**
 * Has a process at hand that becomes the tool at a word: to start one from a process of our size takes milliseconds in which we stand
 * still, and a swap waits for the reading.
 */
export const armTool = (file: string, args: readonly string[], options: RunToolOptions): ArmedTool => {
  const child = spawn('/bin/sh', ['-c', WAITING, file, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  // One that ended early is no news: whoever wants its word hears of it
  child.stdin.on('error', () => {})
  const printed = outputOf(child, options.maxBytes)
  const drop = (): void => {
    child.stdin.destroy()
    child.stdout.destroy()
  }
  options.signal.addEventListener('abort', drop, { once: true })
  void printed.text.then(() => options.signal.removeEventListener('abort', drop))
  return {
    run: () => {
      child.stdin.end('\n')
      return printed.within(options)
    },
    drop,
  }
}

/**
 * What a tool printed; undefined: it failed, printed too much, took too long, or the signal fired. Without a shell, and without
 * the comforts of a library, which cost as much processor time again as the start itself: swaps wait for this.
 */
export const runTool = async (
  file: string,
  args: readonly string[],
  options: RunToolOptions,
): Promise<string | undefined> => {
  if (options.signal.aborted) return undefined
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true })
  return outputOf(child, options.maxBytes).within(options)
}

type Printing = ChildProcess & { readonly stdout: Readable }

const outputOf = (child: Printing, maxBytes: number) => {
  const chunks: Buffer[] = []
  let bytes = 0
  const kill = (): void => {
    child.kill('SIGKILL')
    child.stdout.destroy()
  }
  const text = new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) kill()
      else chunks.push(chunk)
    })
    child.on('error', () => resolve(undefined))
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(chunks).toString('utf8') : undefined))
  })
  const within = async ({ limitMs, signal }: RunToolOptions): Promise<string | undefined> => {
    if (await settledWithin(text, limitMs, signal)) return text
    kill()
    return undefined
  }
  return { text, within }
}
