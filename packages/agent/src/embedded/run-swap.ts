import type { Eviction, Failure, ModelId, Swap, SwapResult, SwapTimings } from '@lswap/core'
import type { SwapProgress } from '../agent.ts'
import type { StartOutcome } from '../process/attempt.ts'
import type { ProcessOwner } from '../process/owner.ts'

/** What a swap asks of the owner of a process. */
export type SwapOwner = Pick<ProcessOwner, 'ensureReady' | 'ensureStopped' | 'isStopped' | 'prepare'>

export interface SwapOptions {
  readonly order: Swap
  /** Of the model that is to be started; undefined: the host has no such model. */
  readonly owner: SwapOwner | undefined
  readonly owners: ReadonlyMap<ModelId, SwapOwner>
  /** What is wrong with the start as far as it can be known before anything stops. */
  readonly preCheck: () => Promise<Failure | undefined>
  /** Resolves when nothing that is being stopped holds the model's port any more, or the signal fires. */
  readonly portFreed: (signal: AbortSignal) => Promise<unknown>
  /** Looks at the memory before anything is stopped for the start. */
  readonly watchMemory: (isMakingRoom: boolean) => MemoryWatch
  readonly signal: AbortSignal
  readonly onProgress: (progress: SwapProgress) => void
}

/** The memory of this host around a stop and a start. */
export interface MemoryWatch {
  /** Resolves when the model fits into free memory, will not, or the signal fires. */
  freed(signal: AbortSignal, onWait: () => void): Promise<void>
  /** Nobody waits for it any more. */
  end(): void
}

const NO_TIME: SwapTimings = { stopMs: 0, memoryMs: 0, loadMs: 0 }

const isRunning = (owner: SwapOwner | undefined): owner is SwapOwner => owner !== undefined && !owner.isStopped()

/** The evictions of a swap that touched nothing. */
const untouched = ({ order, owners }: SwapOptions): Eviction[] =>
  order.evict.map((model) => ({ model, outcome: isRunning(owners.get(model)) ? 'kept' : 'stopped' }))

const evictAll = ({ order, owners, onProgress }: SwapOptions): Promise<Eviction[]> => {
  const going = order.evict.filter((model) => isRunning(owners.get(model)))
  if (going.length > 0) onProgress({ type: 'stopping', models: going })
  const failure: Failure = { code: 'evicted', message: `the model had to make room for ${order.model}` }
  return Promise.all(
    order.evict.map(async (model): Promise<Eviction> => {
      // The router drained it before it gave the order.
      const report = await owners.get(model)?.ensureStopped({ drainMs: 0, failure })
      return report?.outcome === 'stuck' ? { model, ...report } : { model, outcome: 'stopped' }
    }),
  )
}

const blockedBy = (evictions: readonly Eviction[]): Failure | undefined => {
  const stuck = evictions.filter(({ outcome }) => outcome === 'stuck')
  if (stuck.length === 0) return undefined
  const hint = stuck[0]?.failure?.hint
  return {
    code: 'stop_failed',
    message: `could not make room: ${stuck.map(({ model, failure }) => failure?.message ?? model).join('; ')}`,
    ...(hint !== undefined && { hint }),
  }
}

const swapResult = (started: StartOutcome, evictions: readonly Eviction[], timings: SwapTimings): SwapResult => {
  if (started.outcome !== 'ready') return { ...started, evictions, timings }
  const { outcome, epoch, slots } = started
  return { outcome, epoch, ...(slots !== undefined && { slots }), evictions, timings }
}

/** Makes room, then starts the model. What is known to be wrong with the start is found before anything is stopped. */
export const runSwap = async (options: SwapOptions): Promise<SwapResult> => {
  const { order, owner, preCheck, signal, onProgress } = options
  if (owner === undefined) {
    const failure: Failure = { code: 'model_not_found', message: `this host has no model ${order.model}` }
    return { outcome: 'failed', failure, evictions: untouched(options), timings: NO_TIME }
  }
  const refusal = owner.isStopped() && !signal.aborted ? await preCheck() : undefined
  if (signal.aborted) {
    const found = await owner.ensureReady({ signal })
    return swapResult(found, untouched(options), NO_TIME)
  }
  if (refusal !== undefined) {
    return { outcome: 'failed', failure: refusal, evictions: untouched(options), timings: NO_TIME }
  }

  const began = performance.now()
  const isMakingRoom = order.evict.some((model) => isRunning(options.owners.get(model)))
  const memory = options.watchMemory(isMakingRoom)
  const stopping = evictAll(options)
  // Beside the stop, which waits for a process to end
  const dropPreparation = owner.isStopped() ? owner.prepare() : undefined
  try {
    const evictions = await stopping
    const stopMs = performance.now() - began
    const blocked = blockedBy(evictions)
    if (blocked !== undefined) {
      return { outcome: 'failed', failure: blocked, evictions, timings: { ...NO_TIME, stopMs } }
    }

    await options.portFreed(signal)
    const asked = performance.now()
    if (owner.isStopped()) await memory.freed(signal, () => onProgress({ type: 'waiting-memory' }))
    const memoryMs = performance.now() - asked
    const started = await owner.ensureReady({ signal, onProgress })
    const timings: SwapTimings = { stopMs, memoryMs, loadMs: performance.now() - began - stopMs - memoryMs }
    return swapResult(started, evictions, timings)
  } finally {
    memory.end()
    await dropPreparation?.()
  }
}
