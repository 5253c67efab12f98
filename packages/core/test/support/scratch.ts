import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { atEnd, type Ending } from './at-end.ts'
import { usersOf, type User } from './folder-users.ts'

/** What lies in a folder: the content of a file, or a folder. */
export interface Files {
  readonly [name: string]: string | Uint8Array | Files
}

/** Nothing waits that long unless something is wrong, or the machine very slow. */
const LIMIT_MS = 60_000
const LOOK_MS = 20

/**
 * A folder of the test's own, removed at its end: after everything that was registered since has ended (`t.testdir` is
 * removed before that when it was made first), and after every process that uses it. One that stays is named and killed.
 */
export const scratch = (t: Ending, files: Files = {}, limitMs = LIMIT_MS): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lswap-test-')))
  fill(folder, files)
  atEnd(t, () => remove(folder, limitMs))
  return folder
}

const fill = (folder: string, files: Files): void => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    if (typeof content === 'string' || content instanceof Uint8Array) {
      writeFileSync(path, content)
    } else {
      mkdirSync(path)
      fill(path, content)
    }
  }
}

const remove = async (folder: string, limitMs: number): Promise<void> => {
  const left = await idle(folder, limitMs)
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended meanwhile
    }
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }).catch(async (error: unknown) => {
    const files = await readdir(folder, { recursive: true }).catch(() => [])
    throw new Error(`${folder} is written to after the test: ${files.join(', ')}`, { cause: error })
  })
  if (left.length > 0) throw new Error(`left running in ${folder}: ${left.map(({ what }) => what).join('; ')}`)
}

/** Waits until no process uses the folder; those that still do then. */
const idle = async (folder: string, limitMs: number): Promise<readonly User[]> => {
  const deadline = performance.now() + limitMs
  for (;;) {
    const users = usersOf(folder)
    if (users.length === 0 || performance.now() > deadline) return users
    await pause(LOOK_MS)
  }
}
