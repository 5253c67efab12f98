// The memory of a pretended GPU: one file that several simulated engines share.

import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

export interface Holder {
  readonly pid: number
  readonly mb: number
  /** How long its memory stays taken after its end. */
  readonly releaseMs: number
  /** Unix milliseconds; undefined: it lives. */
  readonly endedAt?: number
}

export interface Ledger {
  readonly totalMb: number
  readonly holders: readonly Holder[]
}

export interface LedgerReading {
  readonly totalMb: number
  readonly usedMb: number
}

const DEFAULT_TOTAL_MB = 24_576
const LOCK_WAIT_MS = 2000
const LOCK_STALE_MS = 5000

/** What a memory sensor would show now. */
export function readLedger(file: string): LedgerReading {
  const { totalMb, holders } = change(file, (ledger) => ledger)
  return { totalMb, usedMb: sum(holders) }
}

/** Makes the file for a GPU of this size, with nothing on it. */
export function createLedger(file: string, totalMb: number): void {
  store(file, { totalMb, holders: [] })
}

/** True when the memory could be had; it is given back by `releaseMemory`, or after the death of the process. */
export function takeMemory(file: string, holder: Holder): boolean {
  let taken = false
  change(file, (ledger) => {
    taken = sum(ledger.holders) + holder.mb <= ledger.totalMb
    return taken ? { ...ledger, holders: [...ledger.holders, holder] } : ledger
  })
  return taken
}

export function releaseMemory(file: string, pid: number): void {
  change(file, (ledger) => ({
    ...ledger,
    holders: ledger.holders.map((holder) => (holder.pid === pid ? { endedAt: Date.now(), ...holder } : holder)),
  }))
}

function sum(holders: readonly Holder[]): number {
  return holders.reduce((total, holder) => total + holder.mb, 0)
}

/** A holder that was killed cannot say so: whoever looks next notes its end. */
function settle(ledger: Ledger, now: number): Ledger {
  const noted = ledger.holders.map((holder) =>
    holder.endedAt !== undefined || isAlive(holder.pid) ? holder : { ...holder, endedAt: now },
  )
  return {
    ...ledger,
    holders: noted.filter((holder) => holder.endedAt === undefined || now < holder.endedAt + holder.releaseMs),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function change(file: string, edit: (ledger: Ledger) => Ledger): Ledger {
  const unlock = lock(`${file}.lock`)
  try {
    const ledger = edit(settle(load(file), Date.now()))
    store(file, ledger)
    return ledger
  } finally {
    unlock()
  }
}

function load(file: string): Ledger {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Ledger
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { totalMb: DEFAULT_TOTAL_MB, holders: [] }
    throw error
  }
}

function store(file: string, ledger: Ledger): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(ledger)}\n`)
  renameSync(temporary, file)
}

/** Synchronous, so that it also works while the process ends. A lock whose owner was killed is taken over. */
function lock(path: string): () => void {
  const until = Date.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      closeSync(openSync(path, 'wx'))
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (isStale(path)) rmSync(path, { force: true })
      else if (Date.now() > until) throw new Error(`the memory ledger stayed locked: ${path}`, { cause: error })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

function isStale(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS
  } catch {
    return false
  }
}
