import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../root.mjs'

const required = ['file', 'find', 'replace', 'test']
const keys = new Set([...required, 'name'])

/** Where the mutants are listed, from the top of the checkout. */
export const mutantList = 'test/mutants.json'

/** The listed mutants, each checked for its form: `{file, find, replace, test, name?}`. */
export async function readMutants() {
  return parseMutants(await readFile(join(root, mutantList), 'utf8'))
}

/** Throws with all that is wrong in the list. */
export function parseMutants(text) {
  const mutants = JSON.parse(text)
  const wrong = mutants.flatMap((mutant, at) => faultsOf(mutant).map((fault) => `${mutantList}[${at}]: ${fault}`))
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  return mutants
}

function faultsOf(mutant) {
  const unknown = Object.keys(mutant).filter((key) => !keys.has(key))
  const missing = required.filter((key) => typeof mutant[key] !== 'string')
  return [
    ...unknown.map((key) => `unknown key ${key}`),
    ...missing.map((key) => `${key} is not a string`),
    ...(mutant.find === mutant.replace ? ['find and replace are the same'] : []),
  ]
}
