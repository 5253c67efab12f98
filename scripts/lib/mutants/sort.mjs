import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../root.mjs'
import { listOf, mutantLists, readLists } from './read.mjs'

/**
 * Puts each mutant into the list of its source, by source, and once. Takes in a `test/mutants.json`, which was the one
 * list: a branch from before has its rows there. Returns the lists that were written.
 */
export async function sortMutants(top = root) {
  const old = `${mutantLists}.json`
  const lists = await readLists(top)
  const stray = await readFile(join(top, old), 'utf8').catch(() => undefined)
  if (stray !== undefined) lists.push({ path: old, text: stray })
  const all = new Map(lists.flatMap(({ text }) => JSON.parse(text)).map((mutant) => [JSON.stringify(mutant), mutant]))
  const sorted = new Map()
  for (const mutant of [...all.values()].toSorted(bySource)) {
    const path = listOf(mutant.file)
    sorted.set(path, [...(sorted.get(path) ?? []), mutant])
  }
  for (const { path } of lists) if (!sorted.has(path)) await rm(join(top, path))
  const written = []
  for (const [path, mutants] of sorted) {
    const text = `${JSON.stringify(mutants, undefined, 2)}\n`
    if (lists.find((list) => list.path === path)?.text === text) continue
    await mkdir(dirname(join(top, path)), { recursive: true })
    await writeFile(join(top, path), text)
    written.push(path)
  }
  return written
}

const bySource = (one, other) => (one.file === other.file ? 0 : one.file < other.file ? -1 : 1)
