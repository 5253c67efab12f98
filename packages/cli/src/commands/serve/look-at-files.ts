import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface WatchedFiles {
  readonly files: readonly string[]
  /** A folder of which those files count whose names do. */
  readonly folder?: { readonly path: string; readonly counts: (name: string) => boolean } | undefined
}

/** What tells one state of files from another, links followed: the file itself and not its name, its size and its times. Never rejects. */
export const lookAtFiles = async ({ files, folder }: WatchedFiles): Promise<string> => {
  const inside = folder === undefined ? [] : await namesIn(folder.path)
  const paths = [
    ...files,
    ...inside.filter((name) => folder?.counts(name)).map((name) => join(folder?.path ?? '', name)),
  ]
  const looks = await Promise.all(paths.map(async (path) => `${path} ${await lookAt(path)}`))
  return looks.join('\n')
}

const lookAt = async (path: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).toSorted()
  } catch {
    return []
  }
}
