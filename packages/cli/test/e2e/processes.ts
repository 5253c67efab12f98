import { readFile } from 'node:fs/promises'
import { until } from './until.ts'

/** A zombie counts as gone: it holds nothing, and in a container nobody may come to collect it. */
export const isAlive = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/^ [ZX] /.test(stat.slice(stat.lastIndexOf(')') + 1))
}

/** Waits until the process is gone. */
export const gone = async (pid: number): Promise<true> =>
  until(`process ${pid} is gone`, async () => ((await isAlive(pid)) ? undefined : true))
