import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileReason } from '../print/file-reason.ts'
import type { PassedOver } from './passed-over.ts'

/** A file that may be a model. */
export interface FoundFile {
  readonly path: string
  readonly bytes: number
  readonly modifiedMs: number
}

/** Hugging Face's cache has the most levels: models--…/snapshots/<commit>/<folder>/<file>. */
const MAX_DEPTH = 6
/** A home full of data sets is not searched to its end. */
const MAX_ENTRIES = 50_000

export interface Search {
  readonly files: readonly FoundFile[]
  /** What is there and can not be looked at. */
  readonly passedOver: readonly PassedOver[]
  /** There was more than is looked at. */
  readonly isCut: boolean
}

/** The GGUF files below a folder, by path. Links are followed, each folder once. */
export const findFiles = async (folder: string, maxEntries: number = MAX_ENTRIES): Promise<Search> => {
  const files: FoundFile[] = []
  const passedOver: PassedOver[] = []
  const seen = new Set<string>()
  let left = maxEntries
  let queue: readonly string[] = [folder]
  for (let depth = 0; depth <= MAX_DEPTH && queue.length > 0; depth += 1) {
    const next: string[] = []
    for (const path of queue) {
      const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EACCES') passedOver.push({ path, why: fileReason(error) })
        return undefined
      })
      if (real === undefined || seen.has(real)) continue
      seen.add(real)
      const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        // A link to a file of any other kind is followed as if it led to a folder
        if (error.code !== 'ENOTDIR') passedOver.push({ path, why: fileReason(error) })
        return []
      })
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        left -= 1
        if (left < 0) return { files, passedOver, isCut: true }
        const child = join(path, entry.name)
        const isModel = /\.gguf$/i.test(entry.name)
        if (entry.isDirectory() || (entry.isSymbolicLink() && !isModel)) {
          // Those with a dot are for programs: `.git`, `.cache`, `.locks`
          if (!entry.name.startsWith('.')) next.push(child)
        } else if (isModel) {
          const found = await stat(child).catch((error: NodeJS.ErrnoException) => {
            // Gone since the folder was listed, or a link to what is gone
            const why =
              entry.isSymbolicLink() && error.code === 'ENOENT' ? 'it is a link that leads nowhere' : fileReason(error)
            passedOver.push({ path: child, why })
            return undefined
          })
          if (found?.isFile() === true) files.push({ path: child, bytes: found.size, modifiedMs: found.mtimeMs })
        }
      }
    }
    queue = next
  }
  return { files, passedOver, isCut: false }
}
