import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ModelConfig } from '@lswap/core'
import type { Test } from 'tap'

const PROGRAM = fileURLToPath(new URL('./agent-program.js', import.meta.url))

/** An agent in a process of its own that has loaded the models. */
export const agentProcess = async (
  t: Test,
  order: { stateDir: string; models: readonly ModelConfig[]; fail?: boolean },
) => {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' }
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'ignore'], env })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  )
  const pids = JSON.parse(line) as number[]
  t.teardown(() => {
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
