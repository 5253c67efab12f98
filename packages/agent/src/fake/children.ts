// Engines that are not one process: behind a wrapper, or with a child of their own.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** However a test ends, a forgotten grandchild does not outlive it by much. */
const GRANDCHILD_LIFE_MS = 120_000

function spawnSelf(args: readonly string[]): ReturnType<typeof spawn> {
  const entry = process.argv[1] ?? ''
  return spawn(process.execPath, [...process.execArgv, entry, ...args], { stdio: 'inherit' })
}

/** Does what `sh -c 'llama-server "$@"; exit $?'` does: starts the engine, waits, passes no signal on. */
export function runWrapper(args: readonly string[]): void {
  const child = spawnSelf(args.filter((arg) => arg !== '--wrapper'))
  child.once('error', (error) => {
    process.stderr.write(`wrapper: ${error.message}\n`)
    process.exitCode = 127
  })
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  })
}

/** Starts a process in the engine's own group that holds its pipes open and does nothing. */
export function forkGrandchild(args: readonly string[]): void {
  const child = spawnSelf([...args, '--role', 'grandchild'])
  child.once('error', (error) => process.stderr.write(`grandchild: ${error.message}\n`))
  child.unref()
}

export function runGrandchild(ignoreSigterm: boolean): void {
  if (ignoreSigterm) process.on('SIGTERM', () => {})
  setTimeout(() => process.exit(0), GRANDCHILD_LIFE_MS)
}
