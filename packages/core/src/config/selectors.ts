import type { ModelId } from '../ids.ts'
import type { SelectorConfig } from './names-config.ts'
import type { Path, Report } from './issue.ts'
import { readMetadata } from './listing.ts'
import { textsAt } from './names.ts'
import type { RawConfig } from './schema.ts'
import type { Target, Targets } from './targets.ts'
import { entriesOf, isNothing, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

interface Context {
  readonly root: Tree
  readonly targets: Targets
  readonly report: Report
  /** Whether two models can be loaded at the same time. */
  readonly canCoexist: (a: ModelId, b: ModelId) => boolean
}

const DEFAULT_SPILLOVER = 1

/** Reads the selectors: names that stand for one of several models, chosen for each request. */
export const readSelectors = (raw: RawConfig, context: Context): readonly SelectorConfig[] => {
  const { root, targets, report } = context
  return [...entriesOf(treeAt(root, ['selectors']))].flatMap(([id, { keyAt }]) => {
    const path: Path = ['selectors', id]
    if (targets.resolve(id) !== undefined || id.trim() === '') {
      const message = id.trim() === '' ? 'a selector needs a name' : 'a model or an alias has this name already'
      report.error({ at: keyAt, path, message })
    }
    const given = raw.selectors?.[id]
    if (given === undefined) return []
    const strategy = given.strategy
    if (strategy === undefined) requireKey(root, [...path, 'strategy'], report)
    const names = readTargets(path, strategy, context)
    if (strategy === undefined) return []
    return [
      {
        id,
        strategy,
        targets: names,
        spillover: given.settings?.spillover ?? DEFAULT_SPILLOVER,
        name: given.name || undefined,
        description: given.description || undefined,
        unlisted: given.unlisted ?? false,
        metadata: readMetadata(root, path, report),
      },
    ]
  })
}

const requireKey = (root: Tree, path: Path, report: Report): void => {
  const value = treeAt(root, path)
  if (value !== undefined && !isNothing(value)) return
  report.error({ at: keyPlaceOf(root, path), path, message: `${String(path.at(-1))} is missing` })
}

const readTargets = (
  selector: Path,
  strategy: SelectorConfig['strategy'] | undefined,
  { root, targets, report, canCoexist }: Context,
): readonly string[] => {
  const path = [...selector, 'targets']
  const chosen: { readonly name: string; readonly target: Target }[] = []
  const given = textsAt(root, path)
  for (const { text, at, path: place } of given) {
    const target = targets.resolve(text)
    if (target === undefined) {
      const isSelector = treeAt(root, ['selectors', text]) !== undefined
      const message = isSelector
        ? 'a selector can not choose another selector'
        : `no model has the id or alias ${JSON.stringify(text)}`
      report.error({
        at,
        path: place,
        message,
        ...(isSelector ? {} : { meant: { given: text, valid: targets.all() } }),
      })
      continue
    }
    if (strategy === 'warm' && target.type === 'remote') {
      report.error({
        at,
        path: place,
        message: 'whether a model of a peer is warm is not known; pin and spillover take it',
      })
    }
    if (strategy === 'spillover') {
      const same = chosen.find((other) => keyOf(other.target) === keyOf(target))
      if (same !== undefined)
        report.error({ at, path: place, message: `the same model as ${JSON.stringify(same.name)}` })
      const apart = chosen.find((other) => isApart(other.target, target, canCoexist))
      if (apart !== undefined) {
        const message = `it can not be loaded beside ${JSON.stringify(apart.name)}: spilling over would swap them`
        report.warning({ at, path: place, message })
      }
    }
    chosen.push({ name: text, target })
  }
  if (given.length === 0) requireKey(root, path, report)
  return chosen.map(({ name }) => name)
}

const keyOf = (target: Target): string => (target.type === 'local' ? target.model : target.name)

const isApart = (a: Target, b: Target, canCoexist: Context['canCoexist']): boolean =>
  a.type === 'local' && b.type === 'local' && a.model !== b.model && !canCoexist(a.model, b.model)
