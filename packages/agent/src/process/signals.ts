import { platform } from 'node:process'
import { execa } from 'execa'
import { groupLives } from './process-table.ts'

// Signals to a child's process group. A child leads its own group, so the group's number is the child's pid; the
// caller vouches that this pid is still the child's.

const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Windows has no groups and no signals: everything ends the whole tree. */
const endTreeOnWindows = (pid: number): void => {
  void execa('taskkill', ['/pid', String(pid), '/t', '/f'], { reject: false, windowsHide: true })
}

/** Whether anybody was there to be signalled. */
export const signalProcess = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

export const signalGroup = (pid: number, signal: NodeJS.Signals): boolean => {
  if (platform !== 'win32') return signalProcess(-pid, signal)
  endTreeOnWindows(pid)
  return true
}

/** Whether the group has a member that still runs. A group that holds only zombies counts as gone. */
export const isGroupAlive = (pid: number): boolean => {
  if (platform === 'win32') return signalProcess(pid, 0)
  try {
    process.kill(-pid, 0)
  } catch (error) {
    // EPERM on Linux: members that changed their user; on macOS: only zombies are left.
    if (errorCode(error) !== 'EPERM' || platform === 'darwin') return false
  }
  return groupLives(pid) ?? true
}
