import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LswapError } from '@lswap/core'
import { readBootId, startTimeOf } from './process-identity.ts'

/** A holder that was just created may not have written its name yet. */
const READ_ATTEMPTS = 10
const READ_PAUSE_MS = 20
const TAKE_ATTEMPTS = 5

/** Who holds the state directory. */
interface Holder {
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
}

export interface AgentLock {
  release(): Promise<void>
}

const parseHolder = (text: string): Holder | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const { pid, startTime, bootId } = value as Record<string, unknown>
    if (typeof pid !== 'number' || typeof startTime !== 'string' || typeof bootId !== 'string') return undefined
    return { pid, startTime, bootId }
  } catch {
    return undefined
  }
}

/** Undefined: the lock is gone, or its writer died before it could say who it is. */
const readHolder = async (path: string): Promise<Holder | undefined> => {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    const holder = parseHolder(text)
    if (holder !== undefined) return holder
    await sleep(READ_PAUSE_MS)
  }
  return undefined
}

const isHeld = async (holder: Holder, bootId: string): Promise<boolean> =>
  holder.bootId === bootId && (await startTimeOf(holder.pid)) === holder.startTime

const isExisting = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** The process whose agent uses the directory now; undefined: nobody does. */
export const stateHolder = async (dir: string): Promise<number | undefined> => {
  const holder = await readHolder(join(dir, 'agent.lock'))
  return holder !== undefined && (await isHeld(holder, await readBootId())) ? holder.pid : undefined
}

const refuse = (dir: string, holder: Holder): LswapError =>
  new LswapError({
    code: 'state_in_use',
    message: `another lswap (pid ${holder.pid}) uses the state directory ${dir}`,
    hint: 'Stop it, or give this one a directory of its own with --state-dir or LSWAP_STATE_DIR.',
  })

/** Moves a dead agent's lock away, unless a living one took its place since we looked. */
const clearStale = async (path: string, bootId: string): Promise<void> => {
  const aside = `${path}.${process.pid}.stale`
  await rename(path, aside).catch(() => {})
  const moved = await readHolder(aside)
  if (moved !== undefined && (await isHeld(moved, bootId))) await rename(aside, path)
  else await rm(aside, { force: true })
}

/**
 * Claims the state directory: one agent at a time, so that nobody sweeps the processes of a living one. A lock of an
 * agent that died is taken over. Throws `state_in_use`, or the file system's error when the lock can not be written.
 */
export const takeAgentLock = async (dir: string, bootId: string): Promise<AgentLock> => {
  const path = join(dir, 'agent.lock')
  const own: Holder = { pid: process.pid, startTime: (await startTimeOf(process.pid)) ?? '', bootId }
  for (let attempt = 0; attempt < TAKE_ATTEMPTS; attempt += 1) {
    try {
      await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
      return { release: () => rm(path, { force: true }) }
    } catch (error) {
      if (!isExisting(error)) throw error
    }
    const holder = await readHolder(path)
    if (holder !== undefined && (await isHeld(holder, bootId))) throw refuse(dir, holder)
    await clearStale(path, bootId)
  }
  throw new LswapError({ code: 'state_in_use', message: `other agents are fighting over the state directory ${dir}` })
}
