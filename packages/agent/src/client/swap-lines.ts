import { modelId, type Failure, type Swap, type SwapResult } from '@lswap/core'
import type { SwapLine } from '@lswap/core/protocol'
import type { SwapProgress } from '../agent.ts'
import type { Epochs } from './epochs.ts'

const NO_TIME = { stopMs: 0, memoryMs: 0, loadMs: 0 }

/** What ran there runs there, as far as anybody knows: its host tells when it is back. */
export const failed = ({ evict }: Swap, failure: Failure): SwapResult => ({
  outcome: 'failed',
  failure,
  evictions: evict.map((model) => ({ model, outcome: 'kept' })),
  timings: NO_TIME,
})

export const isRefused = (end: SwapResult): boolean => end.outcome === 'failed' && end.failure.code === 'superseded'

export const abortedBefore = ({ evict }: Swap): SwapResult => ({
  outcome: 'aborted',
  evictions: evict.map((model) => ({ model, outcome: 'kept' })),
  timings: NO_TIME,
})

export const progressOf = (line: SwapLine): SwapProgress | undefined => {
  if (line.type === 'waiting_memory') return { type: 'waiting-memory' }
  if (line.type === 'stopping') return { type: 'stopping', models: line.models.map(modelId) }
  return line.type === 'spawned' || line.type === 'loading' ? line : undefined
}

export const resultOf = (line: SwapLine, epochs: Epochs): SwapResult | undefined => {
  if (line.type !== 'ready' && line.type !== 'failed' && line.type !== 'aborted') return undefined
  const { timings } = line
  const evictions = line.evictions.map(({ model, ...eviction }) => Object.assign({ model: modelId(model) }, eviction))
  if (line.type === 'failed') return { outcome: 'failed', failure: line.failure, evictions, timings }
  if (line.type === 'aborted') return { outcome: 'aborted', evictions, timings }
  const { epoch, slots } = line
  return { outcome: 'ready', epoch: epochs.ours(epoch), ...(slots === undefined ? {} : { slots }), evictions, timings }
}
