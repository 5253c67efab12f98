import type { Config } from './config.ts'
import { readGroups } from './groups.ts'
import type { Path, Report } from './issue.ts'
import { NO_MATRIX, readMatrix } from './matrix.ts'
import type { Names } from './names.ts'
import { schedulerOf } from './policy.ts'
import type { RawConfig } from './schema.ts'
import { keyPlaceOf, placeOf } from './tree.ts'
import type { Tree } from './tree.ts'

/** The part of a configuration that says what may be loaded together. */
export type Routing = Pick<Config, 'swapper' | 'swapperReason' | 'groups' | 'matrix'>

interface Context {
  readonly root: Tree
  readonly text: string
  readonly names: Names
  readonly report: Report
}

const ROUTER: Path = ['routing', 'router']
const USE: Path = [...ROUTER, 'use']
const EXCLUSIVE: Path = ['routing', 'scheduler', 'settings', 'serial', 'exclusive']

/** Reads what decides who must go: the router, its groups and its matrix, and whether serial overrules them. */
export const readRouting = (raw: RawConfig, context: Context): Routing => {
  const groups = placed(raw, 'groups', context)
  const matrix = placed(raw, 'matrix', context)
  const choice = choose(raw, { groups, matrix }, context)
  for (const [kind, found] of [
    ['group', groups],
    ['matrix', matrix],
  ] as const) {
    if (found !== undefined && choice.swapper !== kind) {
      const message = `no effect: not this decides what must go, but ${choice.swapper} (${choice.swapperReason})`
      context.report.warning({ at: keyPlaceOf(context.root, found), path: found, message })
    }
  }
  const router = raw.routing?.router?.settings
  return {
    ...choice,
    groups: groups === undefined ? [] : readGroups(raw.groups ?? router?.groups, groups, context),
    matrix: matrix === undefined ? NO_MATRIX : readMatrix(raw.matrix ?? router?.matrix, matrix, context),
  }
}

/** Where groups or a matrix stand: at the top (the older place) or under `routing.router.settings`. */
const placed = (raw: RawConfig, key: 'groups' | 'matrix', { root, report }: Context): Path | undefined => {
  const nested = [...ROUTER, 'settings', key]
  const hasNested = raw.routing?.router?.settings?.[key] !== undefined
  if (raw[key] === undefined) return hasNested ? nested : undefined
  if (hasNested) {
    const message = `${key === 'groups' ? 'groups are' : 'a matrix is'} defined here and at the top; keep one of the two`
    report.error({ at: keyPlaceOf(root, nested), path: nested, message })
  }
  return [key]
}

interface Places {
  readonly groups: Path | undefined
  readonly matrix: Path | undefined
}

const choose = (
  raw: RawConfig,
  places: Places,
  { root, report }: Context,
): Pick<Routing, 'swapper' | 'swapperReason'> => {
  const use = raw.routing?.router?.use
  const overrules =
    schedulerOf(raw) === 'serial' ? (raw.routing?.scheduler?.settings?.serial?.exclusive ?? 'auto') : false
  if (overrules === true) {
    if (use !== undefined && use !== 'exclusive') {
      const message = `it overrules routing.router.use, which is ${use}; keep one of the two`
      report.warning({ at: keyPlaceOf(root, EXCLUSIVE), path: EXCLUSIVE, message })
    }
    return { swapper: 'exclusive', swapperReason: 'serial.exclusive is true' }
  }
  if (use !== undefined) {
    if (use === 'matrix' && places.matrix === undefined) {
      const message = 'the router matrix needs a matrix with sets, and none is defined'
      report.error({ at: placeOf(root, USE), path: USE, message })
    }
    return { swapper: use, swapperReason: `routing.router.use is ${use}` }
  }
  if (places.groups !== undefined && places.matrix !== undefined) {
    const message = 'groups are defined too; say with routing.router.use which of the two decides'
    // Both under the router is a file of llama-swap, where groups are the default.
    if (raw.groups !== undefined || raw.matrix !== undefined) {
      report.error({ at: keyPlaceOf(root, places.matrix), path: places.matrix, message })
    }
  }
  if (places.groups !== undefined) return { swapper: 'group', swapperReason: 'groups are configured' }
  if (places.matrix !== undefined) return { swapper: 'matrix', swapperReason: 'a matrix is configured' }
  if (overrules === 'auto') return { swapper: 'exclusive', swapperReason: 'no groups, matrix or router configured' }
  return { swapper: 'group', swapperReason: 'no groups, matrix or router configured' }
}
