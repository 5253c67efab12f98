import { readFile } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'
import { execa } from 'execa'

export interface HostMemory {
  readonly totalBytes: number
  readonly availableBytes: number
}

const textOf = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

const numberIn = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** A group's memory; what it only caches of files can be had. Undefined: it has no limit. */
const groupMemory = (limit: string, usage: string, cached: number | undefined): HostMemory | undefined => {
  const totalBytes = numberIn(limit, /^(\d+)\s*$/)
  const used = numberIn(usage, /^(\d+)\s*$/)
  if (totalBytes === undefined || used === undefined) return undefined
  return { totalBytes, availableBytes: Math.max(0, totalBytes - Math.max(0, used - (cached ?? 0))) }
}

/** The folder of a group and those above it, up to the root of the hierarchy. */
const upwards = (path: string): readonly string[] => {
  const names = path.split('/').filter(Boolean)
  return [...names.keys(), names.length].map((count) => names.slice(0, count).join('/'))
}

/** Limits of both versions of control groups, the group's own and those above it. */
const groupLimits = async (root: string): Promise<readonly HostMemory[]> => {
  const text = await textOf(join(root, 'proc/self/cgroup'))
  const second = /^0::(.*)$/m.exec(text)?.[1]
  const first = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(text)?.[1]
  const base = join(root, 'sys/fs/cgroup')
  const found = await Promise.all([
    ...(second === undefined ? [] : upwards(second)).map(async (group) => {
      const file = (name: string): Promise<string> => textOf(join(base, group, name))
      const [limit, usage, stat] = await Promise.all([file('memory.max'), file('memory.current'), file('memory.stat')])
      return groupMemory(limit, usage, numberIn(stat, /^inactive_file (\d+)$/m))
    }),
    ...(first === undefined ? [] : upwards(first)).map(async (group) => {
      const file = (name: string): Promise<string> => textOf(join(base, 'memory', group, `memory.${name}`))
      const [limit, usage, stat] = await Promise.all([file('limit_in_bytes'), file('usage_in_bytes'), file('stat')])
      return groupMemory(limit, usage, numberIn(stat, /^total_inactive_file (\d+)$/m))
    }),
  ])
  return found.filter((memory) => memory !== undefined)
}

/** Memory that programs can still have, by the kernel's own estimate, within the limits of a container. */
const linuxMemory = async (root: string): Promise<HostMemory | undefined> => {
  const [text, limits] = await Promise.all([textOf(join(root, 'proc/meminfo')), groupLimits(root)])
  const total = numberIn(text, /^MemTotal:\s+(\d+) kB$/m)
  const available = numberIn(text, /^MemAvailable:\s+(\d+) kB$/m)
  if (total === undefined || available === undefined) return undefined
  const all = [{ totalBytes: total * 1_024, availableBytes: available * 1_024 }, ...limits]
  return {
    totalBytes: Math.min(...all.map(({ totalBytes }) => totalBytes)),
    availableBytes: Math.min(...all.map(({ availableBytes }) => availableBytes)),
  }
}

/** Not tested on a Mac: pages that can be had at once, by `vm_stat`. */
const macMemory = async (): Promise<HostMemory | undefined> => {
  const { stdout, failed } = await execa('vm_stat', { reject: false, timeout: 2_000, stdin: 'ignore' })
  return failed ? undefined : readVmStat(stdout, totalmem())
}

export const readVmStat = (text: string, totalBytes: number): HostMemory | undefined => {
  const pageBytes = numberIn(text, /page size of (\d+) bytes/)
  if (pageBytes === undefined) return undefined
  const pages = ['free', 'inactive', 'speculative', 'purgeable'].map(
    (kind) => numberIn(text, new RegExp(`^Pages ${kind}:\\s+(\\d+)\\.`, 'm')) ?? 0,
  )
  return { totalBytes, availableBytes: Math.min(totalBytes, pages.reduce((sum, each) => sum + each, 0) * pageBytes) }
}

/** `root` is where the files of the system lie. */
export const readHostMemory = async (root = '/'): Promise<HostMemory | undefined> => {
  if (platform === 'linux') return linuxMemory(root)
  const known = platform === 'darwin' ? await macMemory() : undefined
  return known ?? { totalBytes: totalmem(), availableBytes: freemem() }
}
