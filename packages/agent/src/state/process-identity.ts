import { readFile } from 'node:fs/promises'
import { platform } from 'node:process'
import { execa } from 'execa'

// Who a pid is: the same pid with another start time, or of another boot, is somebody else.

const TOOL_LIMIT_MS = 2_000
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

const outputOf = async (file: string, args: readonly string[]): Promise<string | undefined> => {
  const { stdout, failed } = await execa(file, args, { reject: false, timeout: TOOL_LIMIT_MS, env: { LC_ALL: 'C' } })
  const text = stdout.trim()
  return failed || text === '' ? undefined : text
}

/** The fields of `/proc/<pid>/stat` after the command name, which itself may hold spaces and parentheses. */
export const statFields = (stat: string): readonly string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

/** `/proc/<pid>/stat` counts fields from 1; the list above begins with field 3. */
const STATE = 3 - 3
const START_TIME = 22 - 3

const startTimeOnLinux = async (pid: number): Promise<string | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  const fields = statFields(stat)
  // A zombie has ended: it holds nothing but its number.
  return fields[STATE] === 'Z' ? undefined : fields[START_TIME]
}

/** When the process started, in the platform's own notation; undefined when it does not run or nobody can tell. */
export const startTimeOf = (pid: number): Promise<string | undefined> => {
  if (platform === 'linux') return startTimeOnLinux(pid)
  if (platform === 'win32') {
    const script = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`
    return outputOf('powershell', ['-NoProfile', '-Command', script])
  }
  return outputOf('ps', ['-o', 'lstart=', '-p', String(pid)])
}

/** Names this boot of the machine: start times of another boot mean nothing. */
export const readBootId = async (): Promise<string> => {
  if (platform === 'linux') return (await readFile(BOOT_ID_FILE, 'utf8')).trim()
  if (platform === 'darwin') return (await outputOf('sysctl', ['-n', 'kern.bootsessionuuid'])) ?? 'unknown'
  // Start times are dates on the other platforms and tell boots apart by themselves.
  return 'dated'
}
