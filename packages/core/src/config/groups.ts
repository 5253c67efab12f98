import type { ModelId } from '../ids.ts'
import type { GroupConfig } from './config.ts'
import type { Path, Report } from './issue.ts'
import { textsAt } from './names.ts'
import type { Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import type { Tree } from './tree.ts'

/** Reads the groups at their place in the file. */
export const readGroups = (
  given: RawConfig['groups'],
  path: Path,
  { root, names, report }: { root: Tree; names: Names; report: Report },
): readonly GroupConfig[] => {
  const owners = new Map<ModelId, string>()
  return Object.entries(given ?? {}).map(([id, group]): GroupConfig => ({
    id,
    swap: group?.swap ?? true,
    exclusive: group?.exclusive ?? true,
    persistent: group?.persistent ?? false,
    members: readMembers(root, [...path, id, 'members'], { id, owners, names, report }),
  }))
}

interface Membership {
  readonly id: string
  /** The group of each model that has one. */
  readonly owners: Map<ModelId, string>
  readonly names: Names
  readonly report: Report
}

const readMembers = (root: Tree, path: Path, { id, owners, names, report }: Membership): readonly ModelId[] =>
  textsAt(root, path).flatMap(({ text, at, path: place }) => {
    const model = names.resolve(text)
    if (model === undefined) {
      const message = `no model has the id or alias ${JSON.stringify(text)}`
      report.error({ at, path: place, message, meant: { given: text, valid: names.all() } })
      return []
    }
    const owner = owners.get(model)
    if (owner !== undefined) {
      const where = owner === id ? 'in this group twice' : `in the group ${JSON.stringify(owner)} already`
      report.error({ at, path: place, message: `the model ${JSON.stringify(model)} is ${where}` })
      return []
    }
    owners.set(model, id)
    return [model]
  })
