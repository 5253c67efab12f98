import type { ModelId } from '../ids.ts'
import type { Resident, Swapper } from './swapper.ts'

/** Models that belong together. */
export interface Group {
  readonly id: string
  /** One member at a time. */
  readonly swap: boolean
  /** Loading a member evicts other groups. */
  readonly exclusive: boolean
  /** Other groups do not evict its members. */
  readonly persistent: boolean
  readonly members: readonly ModelId[]
}

/** The group of every model that is in none. */
const UNGROUPED: Group = { id: '(ungrouped)', swap: true, exclusive: true, persistent: false, members: [] }

const mustGo = (own: Group, other: Group): boolean => (own === other ? own.swap : own.exclusive && !other.persistent)

/** Same group with `swap`: out. Another group: out when the target's is `exclusive` and the other not `persistent`. */
export const group = (groups: readonly Group[]): Swapper => {
  const groupOf = new Map<ModelId, Group>()
  for (const made of groups) for (const member of made.members) groupOf.set(member, made)
  const of = (model: ModelId): Group => groupOf.get(model) ?? UNGROUPED
  return {
    name: 'group',
    plan: ({ target, residents }) => {
      const own = of(target)
      const goes = (resident: Resident): boolean => !resident.pinned && mustGo(own, of(resident.model))
      const models = residents.filter((resident) => goes(resident)).map((resident) => resident.model)
      return { type: 'evict', models, reason: `group ${own.id} of ${target} makes room` }
    },
  }
}
