import { atEnd } from '@lswap/core/test-support'
import type { ChildProcess } from 'node:child_process'
import type { Test } from 'tap'
import { type CommandOptions, type Ended, start } from './command.ts'
import type { Journal } from './journal.ts'
import { gone } from './processes.ts'
import { until } from './until.ts'

export interface Serving {
  readonly url: string
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** What it wrote until now. */
  readonly stdout: () => string
  readonly stderr: () => string
}

export interface ServingOptions extends CommandOptions {
  readonly argv: readonly string[]
  /** Where its engines write. */
  readonly journal: Journal
}

/** Runs `lswap serve` on a free port until the test ends, and waits then until its engines are gone too. */
export const serving = async (t: Test, { argv, journal, ...options }: ServingOptions): Promise<Serving> => {
  const { child, ended } = start(['serve', '--listen', '127.0.0.1:0', ...argv], options)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  atEnd(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
    for (const pid of new Set((await journal.lines()).map((line) => line.pid))) await gone(pid)
  })
  const url = await until('the router listens', () => {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}:\n${stderr}`)
    return /listening on (https?:\/\/\S+)/.exec(stdout)?.[1]
  })
  return { url, child, ended, stdout: () => stdout, stderr: () => stderr }
}
