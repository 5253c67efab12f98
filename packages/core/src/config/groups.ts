import type { ModelId } from '../ids.ts'
import type { Config, GroupConfig, ModelConfig } from './config.ts'
import type { Path, Report } from './issue.ts'
import { textsAt } from './names.ts'
import type { Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import { keyPlaceOf } from './tree.ts'
import type { Tree } from './tree.ts'

/** The part of a configuration that says what may be loaded together. */
export type Routing = Pick<Config, 'swapper' | 'groups'>

const TOP: Path = ['groups']
const NESTED: Path = ['routing', 'router', 'settings', 'groups']

/** Reads the router and its groups; they may stand at the top (the older place) or under `routing.router.settings`. */
export const readRouting = (raw: RawConfig, root: Tree, context: { names: Names; report: Report }): Routing => {
  const { report } = context
  const swapper = raw.routing?.router?.use ?? 'group'
  const top = raw.groups
  const nested = raw.routing?.router?.settings?.groups
  if (raw.matrix) {
    const message = 'a matrix is not available yet; groups are'
    report.error({ at: keyPlaceOf(root, ['matrix']), path: ['matrix'], message })
  }
  if (top && nested) {
    const message = 'groups are defined here and at the top; keep one of the two'
    report.error({ at: keyPlaceOf(root, NESTED), path: NESTED, message })
  }
  const path = top ? TOP : NESTED
  if ((top ?? nested) && swapper === 'exclusive') {
    const message = 'groups have no effect under the router exclusive: it keeps one model at a time'
    report.warning({ at: keyPlaceOf(root, path), path, message })
  }
  const owners = new Map<ModelId, string>()
  const groups = Object.entries(top ?? nested ?? {}).map(([id, group]): GroupConfig => ({
    id,
    swap: group?.swap ?? true,
    exclusive: group?.exclusive ?? true,
    persistent: group?.persistent ?? false,
    members: readMembers(root, [...path, id, 'members'], { id, owners, ...context }),
  }))
  return { swapper, groups }
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

/** Whether two models can have processes at the same time on one host. */
export const canCoexist = (a: ModelConfig, b: ModelConfig, { swapper, groups }: Routing): boolean => {
  if (a.pinned || b.pinned) return true
  if (swapper === 'exclusive') return false
  const groupOf = ({ id }: ModelConfig): GroupConfig => groups.find(({ members }) => members.includes(id)) ?? UNGROUPED
  const first = groupOf(a)
  const second = groupOf(b)
  if (first === second) return !first.swap
  return !(evicts(first, second) && evicts(second, first))
}

const evicts = (target: GroupConfig, other: GroupConfig): boolean => target.exclusive && !other.persistent

/** Models without a group form one: `group` in the scheduler's rules. */
const UNGROUPED: GroupConfig = { id: '', swap: true, exclusive: true, persistent: false, members: [] }
