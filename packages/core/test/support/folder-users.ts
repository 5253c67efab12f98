import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process that has to do with a folder. */
export interface User {
  readonly pid: number
  readonly what: string
}

/**
 * Processes that were started after this one, on Linux, and that name the folder in their command, stand in it or have a
 * file of it open. What is gone or has become a zombie uses nothing.
 */
export const usersOf = (folder: string): readonly User[] => {
  if (process.platform !== 'linux') return []
  const users: User[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    // Numbers grow, so that older ones are none of this test's
    if (!(pid > process.pid)) continue
    const command = read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    if (command === '') continue
    const isIn = (link: string): boolean => read(() => readlinkSync(`/proc/${pid}/${link}`)).startsWith(folder)
    const opened = (): boolean => readFiles(pid).some((file) => isIn(`fd/${file}`))
    if (command.includes(folder) || isIn('cwd') || opened()) users.push({ pid, what: `${pid} ${command.trim()}` })
  }
  return users
}

const read = (look: () => string): string => {
  try {
    return look()
  } catch {
    return ''
  }
}

const readFiles = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/fd`)
  } catch {
    return []
  }
}
