import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ModelConfig } from '@lswap/core'
import { atEnd } from '@lswap/core/test-support'
import type { Test } from 'tap'

const PROGRAM = fileURLToPath(new URL('./agent-program.js', import.meta.url))

/** An agent in a process of its own that has loaded the models. */
export const agentProcess = async (
  t: Test,
  order: { stateDir: string; models: readonly ModelConfig[]; fail?: boolean; stop?: boolean },
) => {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' }
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'ignore'], env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  atEnd(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    child.once('exit', (code, signal) => reject(new Error(`the agent ended before it had loaded: ${code ?? signal}`)))
  })
  const pids = JSON.parse(line) as number[]
  atEnd(t, () => {
    for (const pid of pids) {
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // It is gone, as it should be.
      }
    }
  })
  return { child, ended, pids }
}
