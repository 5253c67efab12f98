import type { PlacementPhase, SelectorConfig } from '@lswap/core'
import type { Asker } from './resolution.ts'
import { STRATEGIES } from './select.ts'

/** A target, looked up. */
export interface SelectorTarget {
  readonly name: string
  /** What it is, whichever name it is called by. */
  readonly key: string
  /** Undefined: a peer's. */
  readonly phase: () => PlacementPhase | undefined
}

/** Names that stand for one of several models. */
export interface Selectors {
  readonly all: readonly SelectorConfig[]
  has(name: string): boolean
  /** The target for a request, of those that may be used; undefined: none may. */
  choose(selector: string, asker: Asker, mayUse: (target: SelectorTarget) => boolean): string | undefined
}

export const createSelectors = (
  all: readonly SelectorConfig[],
  look: (name: string) => SelectorTarget | undefined,
): Selectors => {
  const byId = new Map(
    all.map((selector) => {
      const targets = selector.targets.flatMap((name) => look(name) ?? [])
      return [selector.id, { selector, targets, reserved: new Map<string, number>(), turns: { count: 0 } }]
    }),
  )
  return {
    all,
    has: (name) => byId.has(name),
    choose: (name, asker, mayUse) => {
      const found = byId.get(name)
      if (found === undefined) return undefined
      const { selector, targets, reserved, turns } = found
      const candidates = targets
        .filter((target) => mayUse(target))
        .map(({ name: target, key, phase }) => ({
          name: target,
          key,
          phase: phase(),
          reserved: reserved.get(key) ?? 0,
        }))
      const { spillover } = selector
      const chosen = STRATEGIES[selector.strategy](candidates, { spillover, turn: turns.count })
      if (chosen === undefined || selector.strategy !== 'spillover') return chosen?.name
      const { key } = chosen
      turns.count += 1
      reserved.set(key, chosen.reserved + 1)
      asker.whenOver(() => reserved.set(key, (reserved.get(key) ?? 1) - 1))
      return chosen.name
    },
  }
}
