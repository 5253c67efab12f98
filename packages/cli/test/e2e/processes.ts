import { until } from './until.ts'

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Waits until the process is gone. */
export const gone = async (pid: number): Promise<true> =>
  until(`process ${pid} is gone`, () => (isAlive(pid) ? undefined : true))
