import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { root } from './root.mjs'

const compiledTest = /^(packages\/[^/]+)\/(test\/.+\.test)\.ts$/

/**
 * Every test, as the source that people name and the file that runs. Listed from sources, so that the compiled
 * left-over of a deleted test never runs.
 */
export async function testFiles(top = root) {
  const packages = await readdir(join(top, 'packages'))
  const folders = ['test', ...packages.map((name) => `packages/${name}/test`)]
  const lists = await Promise.all(folders.map((folder) => filesUnder(top, folder)))
  return lists
    .flat()
    .filter((source) => /\.test\.(ts|mjs)$/.test(source))
    .toSorted()
    .map((source) => ({ source, runs: compiledFile(source) }))
}

/** The file that runs for a test source: what tsc makes of it, or itself. */
export function compiledFile(source) {
  return source.replace(compiledTest, '$1/dist/$2.js')
}

async function filesUnder(top, folder) {
  const entries = await readdir(join(top, folder), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(top, join(entry.parentPath, entry.name)).split(sep).join('/'))
}
