import type { RequestFilters, SetParam } from './model-config.ts'
import type { Path, Report } from './issue.ts'
import { plainOf } from './plain.ts'
import { entriesOf, keyPlaceOf, placeOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

/** The name that decides which model a request is for: filters leave it alone. */
const PROTECTED = 'model'

/** A model without filters. */
export const NO_FILTERS: RequestFilters = { stripParams: [], setParams: [], setParamsById: [] }

/** The older spellings count where the newer ones are missing. */
const spelled = (root: Tree, path: Path, names: readonly [string, string]): Path => {
  const [name, older] = names
  return [...path, treeAt(root, [...path, name]) === undefined ? older : name]
}

/** Reads a model's `filters`. Their values are free, so they come from the tree. */
export const readFilters = (root: Tree, model: Path, report: Report): RequestFilters => {
  const path = [...model, 'filters']
  const byId = [...path, 'setParamsByID']
  return {
    stripParams: readStripped(root, spelled(root, path, ['stripParams', 'strip_params']), report),
    setParams: readParams(root, spelled(root, path, ['setParams', 'set_params']), report),
    setParamsById: [...entriesOf(treeAt(root, byId)).keys()].map((name) => ({
      name,
      params: readParams(root, [...byId, name], report),
    })),
  }
}

const readStripped = (root: Tree, path: Path, report: Report): readonly string[] => {
  const tree = treeAt(root, path)
  if (tree?.kind !== 'scalar' || tree.value === null || tree.broken) return []
  const names = tree.source.split(',').map((name) => name.trim())
  const warn = (message: string): void => report.warning({ at: placeOf(root, path), path, message })
  if (names.includes(PROTECTED)) warn('model can not be stripped: it stays')
  for (const name of names) warnOfDot(name, warn)
  return [...new Set(names)].filter((name) => name !== '' && name !== PROTECTED)
}

const readParams = (root: Tree, path: Path, report: Report): readonly SetParam[] => {
  const params: SetParam[] = []
  for (const [key, { value }] of entriesOf(treeAt(root, path))) {
    const place = [...path, key]
    const warn = (message: string): void => report.warning({ at: keyPlaceOf(root, place), path: place, message })
    warnOfDot(key, warn)
    if (key === PROTECTED) warn('model can not be set here: useModelName gives the engine another name')
    else params.push({ key, json: JSON.stringify(plainOf(value, place, report)) })
  }
  return params
}

/** llama-swap takes a dot for a step down. */
const warnOfDot = (name: string, warn: (message: string) => void): void => {
  if (name.includes('.')) warn(`filters act on the top level: this is the key ${JSON.stringify(name)}, dot and all`)
}
