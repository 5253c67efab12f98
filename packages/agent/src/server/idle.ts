import type { Epoch, ModelConfig, ModelId } from '@lswap/core'
import type { Agent } from '../agent.ts'
import type { ForwardTimers } from '../forward/timers.ts'
import type { Terms } from './terms.ts'
import type { Usage } from './usage.ts'

export interface IdleOptions {
  readonly agent: Pick<Agent, 'processes'>
  readonly models: () => readonly Pick<ModelConfig, 'id' | 'idleMs' | 'pinned'>[]
  readonly terms: Pick<Terms, 'isLive'>
  readonly usage: Usage
  readonly timers: ForwardTimers
  readonly end: (models: readonly ModelId[]) => Promise<void>
}

const LOOK_MS = 1_000

/** Unloads what nobody uses, while no router is there to decide that. Returns what ends it. */
export const startIdleUnload = (options: IdleOptions): (() => void) => {
  const { agent, models, terms, usage, timers, end } = options
  let cancel: (() => void) | undefined
  let isOver = false
  /** Since when each process is known to be ready without a router. */
  let ready = new Map<ModelId, { readonly epoch: Epoch | undefined; readonly at: number }>()

  const look = async (): Promise<void> => {
    if (terms.isLive()) {
      ready = new Map()
      return
    }
    const now = timers.now()
    const idle: ModelId[] = []
    for (const { model, phase, epoch } of await agent.processes()) {
      if (phase !== 'ready') {
        ready.delete(model)
        continue
      }
      const known = ready.get(model)
      const since = known?.epoch === epoch && known !== undefined ? known.at : now
      ready.set(model, { epoch, at: since })
      const { idleMs, pinned } = models().find(({ id }) => id === model) ?? {}
      const used = usage.lastUsed(model)
      if (idleMs === undefined || pinned === true || used === 'now') continue
      if (now - Math.max(since, used ?? 0) >= idleMs) idle.push(model)
    }
    for (const model of idle) ready.delete(model)
    if (idle.length > 0) await end(idle)
  }

  const arm = (): void => {
    cancel = timers.after(LOOK_MS, () => {
      look()
        .catch(() => {})
        .finally(() => {
          if (!isOver) arm()
        })
    })
  }
  arm()
  return () => {
    isOver = true
    cancel?.()
  }
}
