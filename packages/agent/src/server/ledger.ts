import { generation, LswapError, type Generation, type ModelId } from '@lswap/core'
import type { Terms } from './terms.ts'

/** Which order of which router; both absent: somebody's own hand. */
export interface OrderNumber {
  readonly term?: number | undefined
  readonly seq?: number | undefined
  readonly force?: boolean
}

/** Which orders came: each gets one number of the agent's own, however often it comes, and none is carried out behind a later one. */
export interface Ledger {
  /** For what the agent does on its own. */
  own(): Generation
  /** Throws `fenced` or `superseded`. */
  admit(order: OrderNumber, models: readonly ModelId[]): Generation
  /** The number of an order that came; undefined: it did not, and will be refused if it still does. */
  giveUp(term: number, seq: number): Generation | undefined
}

/** What a repeated order is recognised by; a router repeats one only while it waits for its answer. */
const KEPT = 1_024

const forget = (keys: {
  readonly size: number
  keys(): IterableIterator<string>
  delete(key: string): boolean
}): void => {
  for (const oldest of keys.keys()) {
    if (keys.size <= KEPT) return
    keys.delete(oldest)
  }
}

export const createLedger = (terms: Pick<Terms, 'heard' | 'highest' | 'isLive'>): Ledger => {
  const known = new Map<string, Generation>()
  const given = new Set<string>()
  let latest = new Map<ModelId, number>()
  let term = terms.highest()
  let count = 0

  const next = (): Generation => generation((count += 1))

  const enter = (to: number): void => {
    if (to === term) return
    term = to
    latest = new Map()
  }

  return {
    own: next,
    admit: ({ term: of, seq, force = false }, models) => {
      if (of === undefined || seq === undefined) {
        if (terms.isLive() && !force) throw new LswapError(inUse(terms.highest()))
        return next()
      }
      const refusal = terms.heard(of)
      if (refusal !== undefined) throw new LswapError(refusal)
      enter(of)
      const key = `${of}.${seq}`
      const repeated = known.get(key)
      if (repeated !== undefined) return repeated
      const later = models.find((model) => seq < (latest.get(model) ?? 0))
      if (later !== undefined || given.has(key)) throw new LswapError(superseded(later))
      for (const model of models) latest.set(model, seq)
      const number = next()
      known.set(key, number)
      forget(known)
      return number
    },
    giveUp: (of, seq) => {
      const refusal = terms.heard(of)
      if (refusal !== undefined) throw new LswapError(refusal)
      enter(of)
      const key = `${of}.${seq}`
      const number = known.get(key)
      if (number === undefined) given.add(key)
      forget(given)
      return number
    },
  }
}

const inUse = (term: number) => ({
  code: 'fenced' as const,
  message: `a router (term ${term}) uses this host`,
  hint: 'Give the order to the router, or force it: the router may undo it.',
})

const superseded = (model: ModelId | undefined) => ({
  code: 'superseded' as const,
  message: model === undefined ? 'the order was given up before it came' : `a later order for ${model} came first`,
})
