import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'
import { execa } from 'execa'

export interface HostMemory {
  readonly totalBytes: number
  readonly availableBytes: number
}

// Read synchronously: files in memory, some ten of them with each sample. By promises each takes five turns of a thread and ten times
// the processor time.
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const numberIn = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** The older groups' word for no limit is the most that they can count. */
const NO_LIMIT_BYTES = 2 ** 60

/** The files of a group that tell of its memory, and the line with what it only caches of files, which can be had. */
interface GroupFiles {
  readonly limit: string
  readonly usage: string
  readonly stat: string
  readonly cached: RegExp
}

const SECOND: GroupFiles = {
  limit: 'memory.max',
  usage: 'memory.current',
  stat: 'memory.stat',
  cached: /^inactive_file (\d+)$/m,
}
const FIRST: GroupFiles = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  stat: 'memory.stat',
  cached: /^total_inactive_file (\d+)$/m,
}

/** Undefined: it has no limit, as most have: then nothing more is read of it. */
const groupMemory = (folder: string, { limit, usage, stat, cached }: GroupFiles): HostMemory | undefined => {
  const totalBytes = numberIn(textOf(join(folder, limit)), /^(\d+)\s*$/)
  if (totalBytes === undefined || totalBytes >= NO_LIMIT_BYTES) return undefined
  const used = numberIn(textOf(join(folder, usage)), /^(\d+)\s*$/)
  if (used === undefined) return undefined
  const cachedBytes = numberIn(textOf(join(folder, stat)), cached) ?? 0
  return { totalBytes, availableBytes: Math.max(0, totalBytes - Math.max(0, used - cachedBytes)) }
}

/** The folder of a group and those above it, up to the root of the hierarchy. */
const upwards = (path: string): readonly string[] => {
  const names = path.split('/').filter(Boolean)
  return [...names.keys(), names.length].map((count) => names.slice(0, count).join('/'))
}

/** Limits of both versions of control groups, the group's own and those above it. */
const groupLimits = (root: string): readonly HostMemory[] => {
  const text = textOf(join(root, 'proc/self/cgroup'))
  const second = /^0::(.*)$/m.exec(text)?.[1]
  const first = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(text)?.[1]
  const base = join(root, 'sys/fs/cgroup')
  return [
    ...(second === undefined ? [] : upwards(second)).map((group) => groupMemory(join(base, group), SECOND)),
    ...(first === undefined ? [] : upwards(first)).map((group) => groupMemory(join(base, 'memory', group), FIRST)),
  ].filter((memory) => memory !== undefined)
}

/** Memory that programs can still have, by the kernel's own estimate, within the limits of a container. */
const linuxMemory = (root: string): HostMemory | undefined => {
  const text = textOf(join(root, 'proc/meminfo'))
  const total = numberIn(text, /^MemTotal:\s+(\d+) kB$/m)
  const available = numberIn(text, /^MemAvailable:\s+(\d+) kB$/m)
  if (total === undefined || available === undefined) return undefined
  const all = [{ totalBytes: total * 1_024, availableBytes: available * 1_024 }, ...groupLimits(root)]
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

/** Where a reading takes a process of its own, as on a Mac, it serves for this long. */
const KEPT_MS = 2_000

export interface HostMemorySource {
  /** What is known by now, or was read within {@link KEPT_MS} where reading is not cheap. */
  known(): Promise<HostMemory | undefined>
  /** A reading that begins after this call. */
  look(): Promise<HostMemory | undefined>
}

export interface HostMemorySourceOptions {
  readonly clock: { now(): number }
  /** Where the files of the system lie. */
  readonly root?: string
  readonly isCheap?: boolean
  readonly read?: () => Promise<HostMemory | undefined>
}

export const createHostMemorySource = (options: HostMemorySourceOptions): HostMemorySource => {
  const { clock, root = '/', isCheap = platform !== 'darwin', read = () => readHostMemory(root) } = options
  let last: Promise<HostMemory | undefined> | undefined
  let lastAt = 0
  const look = (): Promise<HostMemory | undefined> => {
    lastAt = clock.now()
    last = read()
    return last
  }
  return {
    look,
    known: () => (last === undefined || isCheap || clock.now() - lastAt >= KEPT_MS ? look() : last),
  }
}

/** `root` is where the files of the system lie. */
export const readHostMemory = async (root = '/'): Promise<HostMemory | undefined> => {
  if (platform === 'linux') return linuxMemory(root)
  const known = platform === 'darwin' ? await macMemory() : undefined
  return known ?? { totalBytes: totalmem(), availableBytes: freemem() }
}
