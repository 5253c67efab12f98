import { readFileSync, readdirSync } from 'node:fs'
import { platform } from 'node:process'
import { statFields } from '../state/process-identity.ts'

// What Linux tells about processes. Read synchronously: a handful of files in memory, and asking later would find
// the links between parents and children already gone. Elsewhere the answers are empty or undefined.

/** One process, told from a later one with the same number by its start time. */
export interface ProcessStamp {
  readonly pid: number
  readonly startTime: string
}

interface ProcessStat extends ProcessStamp {
  readonly alive: boolean
  readonly group: number
}

const onLinux = platform === 'linux'

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

const names = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const statOf = (pid: number): ProcessStat | undefined => {
  const text = onLinux ? readText(`/proc/${pid}/stat`) : undefined
  if (text === undefined) return undefined
  const fields = statFields(text)
  const [state, , group] = fields
  return { pid, startTime: fields[19] ?? '', alive: state !== 'Z' && state !== 'X', group: Number(group) }
}

/** When the process that has this number started, zombies included; undefined: there is none, or nobody can tell. */
export const startTimeNow = (pid: number): string | undefined => statOf(pid)?.startTime

/** Whether exactly this process still runs; a zombie does not. */
export const isAlive = ({ pid, startTime }: ProcessStamp): boolean => {
  const stat = statOf(pid)
  return stat?.alive === true && stat.startTime === startTime
}

const childrenOf = (pid: number): number[] =>
  names(`/proc/${pid}/task`).flatMap((task) =>
    (readText(`/proc/${pid}/task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )

/** The process and everything below it, whatever group or session it moved to. */
export const treeOf = (root: number): readonly (ProcessStamp & { readonly group: number })[] => {
  const found: ProcessStat[] = []
  const open = [root]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    const stat = statOf(pid)
    if (stat?.alive !== true) continue
    found.push(stat)
    open.push(...childrenOf(pid))
  }
  return found
}

const allPids = (): number[] => (onLinux ? names('/proc').map(Number).filter(Number.isInteger) : [])

/** Whether a process group has a member that is more than a zombie; undefined where nobody can tell. */
export const groupLives = (group: number): boolean | undefined => {
  if (!onLinux) return undefined
  return allPids().some((pid) => {
    const stat = statOf(pid)
    return stat?.alive === true && stat.group === group
  })
}

/** Processes whose environment at their start held this entry; those of other users stay unseen. */
export const processesWithEnvironment = (entry: string): readonly ProcessStamp[] =>
  allPids().flatMap((pid) => {
    if (!(readText(`/proc/${pid}/environ`) ?? '').split('\0').includes(entry)) return []
    const stat = statOf(pid)
    return stat?.alive === true ? [stat] : []
  })

/** Memory of one process or several, in bytes. */
export interface ProcessMemory {
  readonly residentBytes: number
  /** The part of it that is of no file: what the machine counts as taken, where the rest may be dropped. */
  readonly anonymousBytes: number
}

/** Of the process alone; undefined: it is gone, or the platform does not tell. */
export const memoryNow = (pid: number): ProcessMemory | undefined => {
  const text = onLinux ? readText(`/proc/${pid}/status`) : undefined
  if (text === undefined) return undefined
  const bytes = (line: RegExp): number => Number(line.exec(text)?.[1] ?? 0) * 1_024
  return { residentBytes: bytes(/^VmRSS:\s+(\d+)/m), anonymousBytes: bytes(/^RssAnon:\s+(\d+)/m) }
}

/** Memory of the process and everything below it; undefined where the platform does not tell. */
export const memoryOfTree = (root: number, tree: readonly ProcessStamp[] = treeOf(root)): ProcessMemory | undefined => {
  if (!onLinux) return undefined
  let residentBytes = 0
  let anonymousBytes = 0
  for (const { pid } of tree) {
    const memory = memoryNow(pid)
    residentBytes += memory?.residentBytes ?? 0
    anonymousBytes += memory?.anonymousBytes ?? 0
  }
  return { residentBytes, anonymousBytes }
}
