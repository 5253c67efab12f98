import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The highest term that an agent has seen, kept over its restarts: else an old router could come first after one. */
export interface TermFile {
  /** 0: none yet. */
  readonly first: number
  /** Resolves when it is on the disk. */
  write(term: number): Promise<void>
}

export const openTermFile = async (stateDir: string): Promise<TermFile> => {
  const path = join(stateDir, 'term')
  const text = await readFile(path, 'utf8').catch(() => '')
  const first = Number(text)
  let last: Promise<void> = Promise.resolve()
  const write = async (term: number): Promise<void> => {
    const aside = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await writeFile(aside, String(term), { mode: 0o600 })
      await rename(aside, path)
    } catch (error) {
      await rm(aside, { force: true }).catch(() => {})
      throw error
    }
  }
  return {
    first: Number.isSafeInteger(first) && first > 0 ? first : 0,
    write: (term) => {
      // One after the other, so that the file never goes back
      last = last.catch(() => {}).then(() => write(term))
      return last
    },
  }
}
