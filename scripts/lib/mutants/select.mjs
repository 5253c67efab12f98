import { git } from '../git.mjs'
import { mutantLists } from './read.mjs'

/**
 * Splits mutants into those that a change touches (their source, their test or their own entry) and the rest.
 * `before`: the list as it was before the change.
 */
export function splitByChange(mutants, { paths, before }) {
  const known = new Set(before.map((mutant) => JSON.stringify(mutant)))
  const touched = (mutant) => paths.has(mutant.file) || paths.has(mutant.test) || !known.has(JSON.stringify(mutant))
  return {
    changed: mutants.filter((mutant) => touched(mutant)),
    others: mutants.filter((mutant) => !touched(mutant)),
  }
}

/** What changed since a commit, the working tree included; undefined where git does not know the commit. */
export async function changeSince(base) {
  const [diff, untracked, listed] = await Promise.all([
    git('diff', '--name-only', base, '--'),
    git('ls-files', '--others', '--exclude-standard'),
    // The second: the one list that there was once
    git('ls-tree', '-r', '--name-only', '--full-tree', base, '--', `${mutantLists}/`, `${mutantLists}.json`),
  ])
  if (diff === undefined) return undefined
  const paths = new Set([...diff.split('\n'), ...(untracked ?? '').split('\n')])
  const lists = (listed ?? '').split('\n').filter((path) => path.endsWith('.json'))
  const texts = await Promise.all(lists.map((path) => git('show', `${base}:${path}`)))
  return { paths, before: texts.flatMap((text) => JSON.parse(text ?? '[]')) }
}

/** Those whose source, test or test's name contains one of the parts; all where there are none. */
export function filterMutants(mutants, parts) {
  if (parts.length === 0) return mutants
  return mutants.filter((mutant) => parts.some((part) => wordsOf(mutant).includes(part)))
}

const wordsOf = ({ file, test, name = '' }) => [file, test, name].join('\n')
