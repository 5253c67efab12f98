import { spawn } from 'node:child_process'

export interface RunToolOptions {
  readonly signal: AbortSignal
  readonly limitMs: number
  /** More than this is none of a tool that works. */
  readonly maxBytes: number
}

/**
 * What a tool printed; undefined: it failed, printed too much, took too long, or the signal fired. Without a shell, and without
 * the comforts of a library, which cost as much processor time again as the start itself: swaps wait for this.
 */
export const runTool = (
  file: string,
  args: readonly string[],
  { signal, limitMs, maxBytes }: RunToolOptions,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined)
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true })
    const chunks: Buffer[] = []
    let bytes = 0
    let isOver = false
    const settle = (text: string | undefined): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      resolve(text)
    }
    const giveUp = (): void => {
      child.kill('SIGKILL')
      child.stdout.destroy()
      settle(undefined)
    }
    const timer = setTimeout(giveUp, limitMs)
    signal.addEventListener('abort', giveUp, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) giveUp()
      else chunks.push(chunk)
    })
    child.on('error', () => settle(undefined))
    child.on('close', (code) => settle(code === 0 ? Buffer.concat(chunks).toString('utf8') : undefined))
    return undefined
  })
