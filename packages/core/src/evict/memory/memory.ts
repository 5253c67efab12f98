import type { EvictPlan, EvictQuestion, Resident, Swapper } from '../swapper.ts'
import { cheapestRemoval } from './cheapest.ts'
import { describe, shortageOf } from './fit.ts'
import { roomOn, sizeOn } from './host-memory.ts'
import { sizeText, type DeviceBytes, type MemoryFacts, type ModelSize } from './sizes.ts'

/** Idle this long, a model is worth half of its reload time. */
const HALF_LIFE_MS = 600_000
/** Taken for a reload that was never measured. */
const UNKNOWN_RELOAD_MS = 10_000

/** What losing a resident costs: its reload, worth less the longer nobody used it, and the wait for its drain. */
const evictionCost = (resident: Resident, now: number): number => {
  const idleMs = resident.idleSince === undefined ? 0 : Math.max(0, now - resident.idleSince)
  return (resident.reloadMs ?? UNKNOWN_RELOAD_MS) * 2 ** (-idleMs / HALF_LIFE_MS) + resident.drainMs
}

/**
 * Keeps what fits: evicts the cheapest set that makes room, never a pinned model, and one that loads only when nothing else helps.
 * `declared` comes before what the host's agent measured, and that before what it estimates.
 */
export const memory = (declared: MemoryFacts): Swapper => ({
  name: 'memory',
  sizeOf: (target, host, seen) => sizeOn(declared, { target, host, memory: seen }),
  plan: (question) => {
    const { target, host, memory: seen } = question
    const need = sizeOn(declared, question)
    if (need === undefined)
      return makeAllRoom(question, `the size of ${target} is not known, it gets the host to itself`)
    const room = roomOn(declared.budgetOf(host), seen)
    if (room.size === 0) return makeAllRoom(question, `the memory of ${host} is not known, ${target} gets it to itself`)
    const alone = shortageOf([need], room)
    if (alone !== undefined) {
      const sentence = `${target} does not fit on ${host}: ${describe(alone, seen?.others)}`
      if (need.source !== 'estimated') return { type: 'impossible', blockers: [], reason: sentence }
      return makeAllRoom(question, `${sentence}, by an estimate; it is tried alone`)
    }
    return makeRoom(question, { declared, room, need })
  },
})

const makeAllRoom = ({ residents }: EvictQuestion, reason: string): EvictPlan => ({
  type: 'evict',
  models: residents.filter(({ pinned }) => !pinned).map(({ model }) => model),
  reason,
})

interface Fitting {
  readonly declared: MemoryFacts
  readonly room: DeviceBytes
  readonly need: ModelSize
}

const makeRoom = (question: EvictQuestion, { declared, room, need }: Fitting): EvictPlan => {
  const { target, host, residents, now, memory: seen } = question
  const sizes = new Map(
    residents.map((resident) => [resident, sizeOn(declared, { target: resident.model, host, memory: seen })]),
  )
  const fits = (removed: ReadonlySet<Resident>): boolean => {
    const staying = residents.filter((resident) => !removed.has(resident)).map((resident) => sizes.get(resident))
    // One of unknown size may fill everything: it can only stay where it is pinned.
    const known = staying.filter((size) => size !== undefined)
    return known.length === staying.length && shortageOf([need, ...known], room) === undefined
  }
  const settled = residents.filter(({ pinned, loading }) => !pinned && !loading)
  const all = residents.filter((resident) => !resident.pinned)
  const priced = (among: readonly Resident[]) => among.map((item) => ({ item, cost: evictionCost(item, now) }))
  const chosen = cheapestRemoval(priced(settled), fits) ?? cheapestRemoval(priced(all), fits)
  if (chosen !== undefined) {
    const text = `${target} needs ${sizeText(need)}`
    const reason = chosen.length === 0 ? `${text} and fits beside what runs` : `${text}: the cheapest room for it`
    return { type: 'evict', models: chosen.map(({ model }) => model), reason }
  }
  const blockers = residents.filter(({ pinned }) => pinned).map(({ model }) => model)
  const reason = `${target} needs ${sizeText(need)} and does not fit on ${host} beside ${blockers.join(', ')}, which ${blockers.length === 1 ? 'is' : 'are'} pinned`
  if (need.source === 'estimated') return makeAllRoom(question, `${reason}; it is tried`)
  return { type: 'impossible', blockers, reason }
}
