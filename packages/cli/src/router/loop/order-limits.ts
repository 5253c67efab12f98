import type { ModelConfig, ModelId, Swap } from '@lswap/core'

/** How long agents may take to carry out orders, in milliseconds. They keep limits of their own; these are for those that do not. */
export interface OrderLimits {
  swapMs(swap: Swap): number
  /** To end processes that are drained, or a load that is given up. */
  stopMs(models: readonly ModelId[]): number
}

/** For what an agent does beside what the configuration limits: checks, kills, memory that is freed late, the way there and back. */
export const SLACK_MS = 60_000

/** Of one that is not configured any more and still ends. */
const UNKNOWN_MS = 60_000

const hooksMs = (model: ModelConfig | undefined): number => {
  const { before = [], after = [] } = model?.hooks ?? {}
  return [...before, ...after].reduce((sum, { timeoutMs }) => sum + timeoutMs, 0)
}

export const orderLimits = (models: () => readonly ModelConfig[]): OrderLimits => {
  const find = (id: ModelId): ModelConfig | undefined => models().find((model) => model.id === id)
  const endMs = (ids: readonly ModelId[]): number =>
    Math.max(0, ...ids.map((id) => find(id)?.unloadTimeoutMs ?? UNKNOWN_MS))
  return {
    stopMs: (ids) => endMs(ids) + SLACK_MS,
    // What goes, the load, and the end of a load that failed
    swapMs: ({ model, evict }) =>
      endMs(evict) +
      (find(model)?.healthCheckTimeoutMs ?? UNKNOWN_MS) +
      hooksMs(find(model)) +
      endMs([model]) +
      SLACK_MS,
  }
}
