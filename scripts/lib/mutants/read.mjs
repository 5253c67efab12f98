import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../root.mjs'

const required = ['file', 'find', 'replace', 'test']
const keys = new Set([...required, 'name'])

/** Where the lists of mutants lie, from the top of the checkout: one for each folder of sources, so that changes seldom meet. */
export const mutantLists = 'test/mutants'

/** The list that a mutant of this source belongs to. */
export function listOf(file) {
  const folder = file.replace(/^packages\/([^/]+)\/src\//, '$1/').replace(/\/?[^/]*$/, '')
  return `${mutantLists}/${folder}.json`
}

/** The listed mutants, each checked for its form, `{file, find, replace, test, name?}`, and for its place. */
export async function readMutants(top = root) {
  const lists = await readLists(top)
  return lists.flatMap(({ path, text }) => parseMutants(text, path))
}

/** The lists as they are, in order. */
export async function readLists(top = root) {
  const names = (await readdir(join(top, mutantLists), { recursive: true })).filter((name) => name.endsWith('.json'))
  const paths = names.toSorted().map((name) => `${mutantLists}/${name}`)
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(top, path), 'utf8') })))
}

/** Throws with all that is wrong in a list. */
export function parseMutants(text, path) {
  const mutants = JSON.parse(text)
  const wrong = mutants.flatMap((mutant, at) => faultsOf(mutant, path).map((fault) => `${path}[${at}]: ${fault}`))
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  return mutants
}

function faultsOf(mutant, path) {
  const unknown = Object.keys(mutant).filter((key) => !keys.has(key))
  const missing = required.filter((key) => typeof mutant[key] !== 'string')
  const list = typeof mutant.file === 'string' ? listOf(mutant.file) : path
  return [
    ...unknown.map((key) => `unknown key ${key}`),
    ...missing.map((key) => `${key} is not a string`),
    ...(mutant.find === mutant.replace ? ['find and replace are the same'] : []),
    ...(list === path ? [] : [`belongs to ${list}: scripts/mutants --sort puts it there`]),
  ]
}
