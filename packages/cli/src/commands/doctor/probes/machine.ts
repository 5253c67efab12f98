import { defaultStateDir } from '@lswap/agent'
import { existsSync } from 'node:fs'
import { readdir, readFile, statfs } from 'node:fs/promises'
import { freemem, tmpdir, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { bytes } from '../../../print/units.ts'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'

const GIB = 1024 ** 3

/** As the package's `engines` say. */
const MIN_NODE = [20, 19] as const

export const nodeProbe = (version: string): Probe => ({
  check: 'node',
  look: async () => {
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return [good('node', version)]
    return [
      problem('node', {
        what: `${version} is older than ${MIN_NODE.join('.')}`,
        why: 'lswap uses what older ones do not have, and ends in the middle',
        advice: 'install a newer Node',
      }),
    ]
  },
})

/** Below this a model of some size pushes something else out to disk. */
const LOW_MEMORY_SHARE = 0.15

export const memoryProbe = (): Probe => ({
  check: 'memory',
  look: async () => {
    const available = (await availableOnLinux()) ?? freemem()
    const what = `${bytes(available)} of ${bytes(totalmem())} are available`
    if (available > totalmem() * LOW_MEMORY_SHARE) return [good('memory', what)]
    const users = await largest()
    return [
      warning('memory', {
        what: users === '' ? what : `${what}; most is held by ${users}`,
        why: 'a model that does not fit is read from disk again and again, or its engine is killed',
        advice: 'end what is not needed, or choose a smaller model',
      }),
    ]
  },
})

const availableOnLinux = async (): Promise<number | undefined> => {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

/** The three processes with the most resident memory, where the system tells. */
const largest = async (): Promise<string> => {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      const name = /^Name:\s+(.*)$/m.exec(text)?.[1] ?? '?'
      return { pid, name, size: Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024 }
    }),
  )
  return found
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 3)
    .map(({ pid, name, size }) => `pid ${pid} (${name}, ${bytes(size)})`)
    .join(', ')
}

/** Waiting bodies may take 8 GiB there; a full disk ends much more than lswap. */
const LOW_DISK_BYTES = GIB
const NO_DISK_BYTES = 100 * 1024 ** 2

export const diskProbe = (env: NodeJS.ProcessEnv): Probe => ({
  check: 'disk',
  look: async () => {
    const places = [...new Set([existing(defaultStateDir(env)), tmpdir()])]
    return Promise.all(places.map(freeSpace))
  },
})

/** The folder that would hold it, as far as it exists. */
const existing = (path: string): string => (existsSync(path) || dirname(path) === path ? path : existing(dirname(path)))

const freeSpace = async (path: string): Promise<Finding> => {
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  const what = `${bytes(free)} are free at ${path}`
  if (free >= LOW_DISK_BYTES) return good('disk', what)
  const why = 'large requests that wait are kept in files there'
  const complaint = { what, why, advice: 'make room, or point TMPDIR and LSWAP_STATE_DIR elsewhere' }
  return free < NO_DISK_BYTES ? problem('disk', complaint) : warning('disk', complaint)
}

/** Every request takes two connections, and files beside. */
const ENOUGH_FILES = 4_096

export const openFilesProbe = (): Probe => ({
  check: 'files',
  look: async () => {
    const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1]
    if (soft === undefined) return []
    const what = `${soft} files and connections may be open at once`
    if (soft === 'unlimited' || Number(soft) >= ENOUGH_FILES) return [good('files', what)]
    const advice = 'raise it: `ulimit -n 8192` in the shell, LimitNOFILE=8192 in a systemd unit'
    return [warning('files', { what, why: 'a full queue of requests needs more, and then clients are cut', advice })]
  },
})
