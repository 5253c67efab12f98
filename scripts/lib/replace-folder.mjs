import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Makes a folder hold exactly these files (`{path, contents}`), all executable. Each is written elsewhere and renamed
 * into its place, and one that is the same stays: programs that run from the folder never find it half empty, and
 * two at this work do not hinder each other.
 */
export async function replaceFolder(folder, files) {
  await mkdir(folder, { recursive: true })
  const drafts = await mkdtemp(`${folder}.`)
  try {
    await Promise.all(files.map((file) => replaceFile(file, drafts)))
  } finally {
    await rm(drafts, { recursive: true, force: true })
  }
  const wanted = new Set(files.map(({ path }) => basename(path)))
  const stale = (await readdir(folder)).filter((name) => !wanted.has(name))
  await Promise.all(stale.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

async function replaceFile({ path, contents }, drafts) {
  const present = await readFile(path).catch(() => undefined)
  if (present?.equals(contents)) return
  const draft = join(drafts, basename(path))
  await writeFile(draft, contents, { mode: 0o755 })
  await rename(draft, path)
}
