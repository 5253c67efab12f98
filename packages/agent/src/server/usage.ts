import type { ModelId } from '@lswap/core'

/** What is forwarded to which model. */
export interface Usage {
  /** A request begins; returns what ends it, which may be called again. */
  begin(model: ModelId): () => void
  /** When the model was last used, on the clock that was given; `now`: a request runs. Undefined: not since the start. */
  lastUsed(model: ModelId): number | 'now' | undefined
  /** Of all models: whether a request runs, and how many have ended. */
  all(): { readonly isBusy: boolean; readonly count: number }
}

export const createUsage = (now: () => number): Usage => {
  const running = new Map<ModelId, number>()
  const used = new Map<ModelId, number>()
  let [open, ended] = [0, 0]
  return {
    begin: (model) => {
      running.set(model, (running.get(model) ?? 0) + 1)
      open += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        open -= 1
        ended += 1
        running.set(model, (running.get(model) ?? 1) - 1)
        used.set(model, now())
      }
    },
    lastUsed: (model) => ((running.get(model) ?? 0) > 0 ? 'now' : used.get(model)),
    all: () => ({ isBusy: open > 0, count: ended }),
  }
}
