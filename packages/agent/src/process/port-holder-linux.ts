import { readFile, readdir, readlink } from 'node:fs/promises'

/** State column of a listening socket. */
const LISTEN = '0A'
const MAX_COMMAND_LENGTH = 200

/** Socket inodes that listen on the port, from `/proc/net/tcp` and `/proc/net/tcp6`. */
const listeningInodes = async (port: number): Promise<ReadonlySet<string>> => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  )
  const inodes = new Set<string>()
  for (const line of tables.join('\n').split('\n')) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
    if (local?.endsWith(suffix) === true && state === LISTEN && inode !== undefined) inodes.add(inode)
  }
  return inodes
}

const holdsAny = async (pid: number, inodes: ReadonlySet<string>): Promise<boolean> => {
  const folder = `/proc/${pid}/fd`
  const descriptors = await readdir(folder).catch(() => [])
  for (const descriptor of descriptors) {
    const link = await readlink(`${folder}/${descriptor}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1]
    if (inode !== undefined && inodes.has(inode)) return true
  }
  return false
}

const filterHolders = async (pids: readonly number[], inodes: ReadonlySet<string>): Promise<number[]> => {
  const holders: number[] = []
  for (const pid of pids) if (await holdsAny(pid, inodes)) holders.push(pid)
  return holders
}

/** Whether one of these processes listens on the port; undefined when nobody does. */
export const isHeldBy = async (port: number, pids: readonly number[]): Promise<boolean | undefined> => {
  const inodes = await listeningInodes(port)
  return inodes.size === 0 ? undefined : (await filterHolders(pids, inodes)).length > 0
}

/** Every process that listens on the port, as far as we may look. */
export const holdersOnLinux = async (port: number): Promise<readonly number[]> => {
  const inodes = await listeningInodes(port)
  if (inodes.size === 0) return []
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  return filterHolders(pids, inodes)
}

export const commandOf = async (pid: number): Promise<string> => {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const command = line.replaceAll('\0', ' ').trim()
  return command.length > MAX_COMMAND_LENGTH ? `${command.slice(0, MAX_COMMAND_LENGTH)}…` : command || 'unknown'
}
