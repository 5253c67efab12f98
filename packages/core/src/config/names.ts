import { modelId } from '../ids.ts'
import type { ModelId } from '../ids.ts'
import type { Path, Report } from './issue.ts'
import { entriesOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

/** Every name that a request may call a model by. */
export interface Names {
  /** The model behind an id or alias. */
  resolve(name: string): ModelId | undefined
  all(): Iterable<string>
}

/** A text in a list, with its place. */
export interface PlacedText {
  readonly text: string
  readonly at: number
  readonly path: Path
}

/** The texts of a list; what is none is for the schema to report. */
export const textsAt = (root: Tree, path: Path): readonly PlacedText[] => {
  const list = treeAt(root, path)
  if (list?.kind !== 'list') return []
  return list.items.flatMap((item, index) => {
    if (item.kind !== 'scalar' || item.value === null || item.broken) return []
    const text = typeof item.value === 'string' ? item.value : item.source
    return [{ text, at: item.at, path: [...path, index] }]
  })
}

// eslint-disable-next-line no-control-regex
const UNUSABLE_ID = /^\s*$|[\u0000-\u001f\u007f]/

/** Reads ids and aliases. Taken from the tree and not from valid models: a mistake in a model does not make its name unknown. */
export const readNames = (root: Tree, report: Report): Names => {
  const owners = new Map<string, ModelId>()
  const models = entriesOf(treeAt(root, ['models']))
  for (const [id, { keyAt }] of models) {
    owners.set(id, modelId(id))
    if (UNUSABLE_ID.test(id)) {
      report.error({
        at: keyAt,
        path: ['models', id],
        message: 'a model id must not be empty or hold control characters',
      })
    }
  }
  for (const id of models.keys()) {
    for (const { text, at, path } of textsAt(root, ['models', id, 'aliases'])) {
      const owner = owners.get(text)
      if (owner === undefined) owners.set(text, modelId(id))
      else if (text === id)
        report.warning({ at, path, message: 'this alias is the id of its own model: it has no effect' })
      else report.error({ at, path, message: `${JSON.stringify(text)} ${takenBy(text, owner, id)}` })
    }
  }
  const places = [...models.keys()].flatMap((id) => [
    { id, path: ['models', id, 'adapters'] },
    { id, path: ['models', id, 'filters', 'setParamsByID'] },
  ])
  for (const { id, path } of places) {
    for (const [name, { keyAt }] of entriesOf(treeAt(root, path))) {
      const owner = owners.get(name)
      if (owner === undefined) owners.set(name, modelId(id))
      else if (owner !== modelId(id)) {
        const message = `${JSON.stringify(name)} ${takenBy(name, owner, id)}`
        report.error({ at: keyAt, path: [...path, name], message })
      }
    }
  }
  return { resolve: (name) => owners.get(name), all: () => owners.keys() }
}

const takenBy = (alias: string, owner: ModelId, id: string): string => {
  if (alias === owner) return 'is the id of another model'
  return owner === id ? 'is there twice' : `is an alias of the model ${JSON.stringify(owner)} already`
}
