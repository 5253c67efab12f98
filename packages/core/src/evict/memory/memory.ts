import type { EvictPlan, EvictQuestion, Resident, Swapper } from '../swapper.ts'
import { cheapestRemoval } from './cheapest.ts'
import { describe, shortageOf } from './fit.ts'
import type { MemoryFacts, ModelSize } from './sizes.ts'

/** Idle this long, a model is worth half of its reload time. */
const HALF_LIFE_MS = 600_000
/** Taken for a reload that was never measured. */
const UNKNOWN_RELOAD_MS = 10_000

/** What losing a resident costs: its reload, worth less the longer nobody used it, and the wait for its drain. */
const evictionCost = (resident: Resident, now: number): number => {
  const idleMs = resident.idleSince === undefined ? 0 : Math.max(0, now - resident.idleSince)
  return (resident.reloadMs ?? UNKNOWN_RELOAD_MS) * 2 ** (-idleMs / HALF_LIFE_MS) + resident.drainMs
}

/** Keeps what fits: evicts the cheapest set that makes room, never a pinned model, and one that loads only when nothing else helps. */
export const memory = (facts: MemoryFacts): Swapper => ({
  name: 'memory',
  plan: (question) => {
    const { target, host } = question
    const need = facts.sizeOf(target, host)
    if (need === undefined)
      return makeAllRoom(question, `the size of ${target} is not known, it gets the host to itself`)
    const alone = shortageOf([need], facts.budgetOf(host))
    if (alone !== undefined) {
      const sentence = `${target} does not fit on ${host}: ${describe(alone)}`
      if (need.source !== 'estimated') return { type: 'impossible', blockers: [], reason: sentence }
      return makeAllRoom(question, `${sentence}, by an estimate; it is tried alone`)
    }
    return makeRoom(question, facts, need)
  },
})

const makeAllRoom = ({ residents }: EvictQuestion, reason: string): EvictPlan => ({
  type: 'evict',
  models: residents.filter(({ pinned }) => !pinned).map(({ model }) => model),
  reason,
})

const makeRoom = (question: EvictQuestion, facts: MemoryFacts, need: ModelSize): EvictPlan => {
  const { target, host, residents, now } = question
  const budget = facts.budgetOf(host)
  const sizes = new Map(residents.map((resident) => [resident, facts.sizeOf(resident.model, host)]))
  const fits = (removed: ReadonlySet<Resident>): boolean => {
    const staying = residents.filter((resident) => !removed.has(resident)).map((resident) => sizes.get(resident))
    // One of unknown size may fill everything: it can only stay where it is pinned.
    const known = staying.filter((size) => size !== undefined)
    return known.length === staying.length && shortageOf([need, ...known], budget) === undefined
  }
  const settled = residents.filter(({ pinned, loading }) => !pinned && !loading)
  const all = residents.filter((resident) => !resident.pinned)
  const priced = (among: readonly Resident[]) => among.map((item) => ({ item, cost: evictionCost(item, now) }))
  const chosen = cheapestRemoval(priced(settled), fits) ?? cheapestRemoval(priced(all), fits)
  if (chosen !== undefined) {
    const reason = chosen.length === 0 ? `${target} fits beside what runs` : `the cheapest room for ${target}`
    return { type: 'evict', models: chosen.map(({ model }) => model), reason }
  }
  const blockers = residents.filter(({ pinned }) => pinned).map(({ model }) => model)
  const reason = `${target} does not fit on ${host} beside ${blockers.join(', ')}, which ${blockers.length === 1 ? 'is' : 'are'} pinned`
  if (need.source === 'estimated') return makeAllRoom(question, `${reason}, by an estimate; it is tried`)
  return { type: 'impossible', blockers, reason }
}
