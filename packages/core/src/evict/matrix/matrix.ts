import type { ModelId } from '../../ids.ts'
import type { EvictPlan, Resident, Swapper } from '../swapper.ts'
import { covers } from './cover.ts'
import { modelsOf } from './expression.ts'
import type { MatrixSet } from './sets.ts'

export interface MatrixOptions {
  readonly sets: readonly MatrixSet[]
  /** What evicting a model costs; 1 where it is not named. */
  readonly evictCosts: ReadonlyMap<ModelId, number>
}

interface Choice {
  readonly set: string
  readonly spared: bigint
  readonly cost: number
}

/**
 * Sets say what may run together; any part of one expansion of a set may. For a target the expansion is taken
 * that holds it and evicts the least, by cost; of equals the first in definition order. A model in no set runs alone.
 */
export const matrix = ({ sets, evictCosts }: MatrixOptions): Swapper => {
  const setsOf = new Map<ModelId, MatrixSet[]>()
  for (const set of sets) {
    for (const model of modelsOf(set.expression)) setsOf.set(model, [...(setsOf.get(model) ?? []), set])
  }
  const costOf = (model: ModelId): number => evictCosts.get(model) ?? 1

  const bestOf = (target: ModelId, residents: readonly Resident[]): Choice | undefined => {
    const bitOf = new Map<ModelId, bigint>([[target, 1n]])
    for (const [index, { model }] of residents.entries()) bitOf.set(model, 1n << BigInt(index + 1))
    let best: Choice | undefined
    for (const { name, expression } of setsOf.get(target) ?? []) {
      for (const spared of covers(expression, bitOf)) {
        if ((spared & 1n) === 0n) continue
        const cost = evictionCost(residents, { spared, costOf })
        if (best === undefined || cost < best.cost) best = { set: name, spared, cost }
      }
    }
    return best
  }

  return {
    name: 'matrix',
    plan: ({ target, residents }): EvictPlan => {
      const best = bestOf(target, residents) ?? {
        set: undefined,
        spared: 0n,
        cost: evictionCost(residents, { spared: 0n, costOf }),
      }
      const goes = residents.filter((_resident, index) => !isSpared(best.spared, index))
      if (best.cost === Infinity) return impossible(target, goes)
      const reason =
        best.set === undefined ? `${target} is in no set and runs alone` : `set ${best.set} holds ${target}`
      return { type: 'evict', models: goes.map(({ model }) => model), reason }
    },
  }
}

const isSpared = (spared: bigint, index: number): boolean => ((spared >> BigInt(index + 1)) & 1n) === 1n

interface Costs {
  readonly spared: bigint
  readonly costOf: (model: ModelId) => number
}

/** A pinned model is beyond price. */
const evictionCost = (residents: readonly Resident[], { spared, costOf }: Costs): number => {
  let cost = 0
  for (const [index, resident] of residents.entries()) {
    if (!isSpared(spared, index)) cost += resident.pinned ? Infinity : costOf(resident.model)
  }
  return cost
}

const impossible = (target: ModelId, goes: readonly Resident[]): EvictPlan => {
  const blockers = goes.filter(({ pinned }) => pinned).map(({ model }) => model)
  const reason = `no set lets ${target} run beside ${blockers.join(', ')}, which ${blockers.length === 1 ? 'is' : 'are'} pinned`
  return { type: 'impossible', blockers, reason }
}
