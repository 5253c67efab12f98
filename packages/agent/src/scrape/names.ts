import type { AgentMetrics } from '@lswap/core/protocol'
import type { Metric } from './exposition.ts'

/** What an engine told of itself. */
export type EngineSample = NonNullable<AgentMetrics['processes'][number]['engine']>
export type EngineNumbers = Omit<EngineSample, 'sampledAt'>

type Read = (metric: Metric) => EngineNumbers

const share: Read = ({ value }) => ({ kv: Math.min(1, Math.max(0, value)) })
const namesIn = (text: string | undefined): readonly string[] => (text ?? '').split(',').filter((name) => name !== '')

const adapters: Read = ({ labels }) => {
  const max = Number(labels['max_lora'])
  const running = namesIn(labels['running_lora_adapters'])
  const waiting = namesIn(labels['waiting_lora_adapters'])
  return { activeAdapters: [...new Set([...running, ...waiting])], ...(Number.isInteger(max) && { maxAdapters: max }) }
}

/** What engines call what the scheduler wants to know. Where an engine has two names for one thing, the later one counts. */
const NAMES: Readonly<Record<string, Read>> = {
  'llamacpp:requests_deferred': ({ value }) => ({ deferred: value }),
  'llamacpp:requests_processing': ({ value }) => ({ running: value }),
  'vllm:num_requests_waiting': ({ value }) => ({ waiting: value }),
  'vllm:num_requests_running': ({ value }) => ({ running: value }),
  'vllm:gpu_cache_usage_perc': share,
  'vllm:kv_cache_usage_perc': share,
  'vllm:lora_requests_info': adapters,
}

/** Several series of one name: an engine in parts adds up; the list of adapters is the latest one, its value being a time. */
const joined = (metrics: readonly Metric[], name: string): Metric | undefined => {
  const series = metrics.filter((metric) => metric.name === name)
  const [first] = series
  if (first === undefined) return undefined
  const latest = series.reduce((best, each) => (each.value >= best.value ? each : best), first)
  if (!name.startsWith('vllm:num_requests_')) return latest
  return { ...first, value: series.reduce((sum, each) => sum + each.value, 0) }
}

export const numbersIn = (metrics: readonly Metric[]): EngineNumbers => {
  const numbers: EngineNumbers = {}
  for (const [name, read] of Object.entries(NAMES)) {
    const metric = joined(metrics, name)
    if (metric !== undefined) Object.assign(numbers, read(metric))
  }
  return numbers
}

/** A llama-server that says that it does nothing: no slot of it is busy. */
export const isIdle = (metrics: readonly Metric[]): boolean =>
  metrics.some(({ name, value }) => name === 'llamacpp:requests_processing' && value === 0)

interface Slot {
  readonly is_processing?: unknown
  readonly n_ctx?: unknown
  readonly n_prompt_tokens?: unknown
}

const numberOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

/** What a llama-server's slots tell: how many are busy, and the share of its context that these hold. */
export const slotNumbers = (slots: unknown, isShared: boolean): EngineNumbers => {
  if (!Array.isArray(slots) || slots.length === 0) return {}
  const all = slots as readonly (Slot | null)[]
  const kv = contextUse(all, isShared)
  const running = all.filter((slot) => slot?.is_processing === true).length
  return { running, ...(kv !== undefined && { kv }) }
}

/**
 * Share of the context that busy slots hold; what idle ones hold can be had. Slots that share one context show all of it each.
 * Undefined: it does not tell.
 */
const contextUse = (all: readonly (Slot | null)[], isShared: boolean): number | undefined => {
  const sizes = all.map((slot) => numberOf(slot?.n_ctx))
  const capacity = isShared ? Math.max(...sizes) : sizes.reduce((sum, each) => sum + each, 0)
  if (capacity === 0) return undefined
  const busy = all.filter((slot) => slot?.is_processing === true)
  // Older servers do not tell how much a slot holds
  if (busy.some((slot) => typeof slot?.n_prompt_tokens !== 'number')) return undefined
  return Math.min(1, busy.reduce((sum, slot) => sum + numberOf(slot?.n_prompt_tokens), 0) / capacity)
}
