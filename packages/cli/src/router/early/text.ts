import type { Estimate, Placement, QueueEntry } from '@lswap/core'
import type { SwapProgress } from '@lswap/agent'

export interface Told {
  readonly text: string
  /** Changes with what is worth another line. */
  readonly key: string
}

export interface TextOptions {
  readonly entry: QueueEntry | undefined
  /** Of the load that it waits for. */
  readonly progress: SwapProgress | undefined
  /** Its key reaches some models only, and hears of no other. */
  readonly isRestricted: boolean
}

/** Why a request waits and for how long yet, for who waits. */
export const waitText = ({ entry, progress, isRestricted }: TextOptions): Told => {
  if (entry === undefined) return { text: 'waiting for its turn', key: '' }
  const isAboutOthers = placementsOf(entry).some(({ model }) => model !== entry.model)
  const hidden = isRestricted && (isAboutOthers || entry.cause?.type === 'held-for')
  const why = hidden || entry.sentence === '' ? 'waiting for its turn' : entry.sentence
  const step = hidden ? '' : progressText(progress, isRestricted)
  const text = `${why}${step}, position ${entry.position} in the queue${estimateText(entry.estimate)}`
  return { text, key: [entry.cause?.type, entry.position, step, hidden].join(' ') }
}

/** Those that the cause of a wait is about. */
const placementsOf = ({ cause }: QueueEntry): readonly Placement[] => {
  if (cause === undefined) return []
  if ('placement' in cause) return [cause.placement]
  if ('placements' in cause) return cause.placements
  return 'models' in cause ? cause.models : []
}

/** The placement whose load somebody waits for. */
export const awaitedLoad = ({ cause }: QueueEntry): Placement | undefined =>
  cause?.type === 'loading' || cause?.type === 'swap-running' ? cause.placement : undefined

const progressText = (progress: SwapProgress | undefined, isRestricted: boolean): string => {
  if (progress?.type === 'stopping')
    return isRestricted ? ' (making room)' : ` (stopping ${progress.models.join(', ')})`
  if (progress?.type === 'waiting-memory') return ' (waiting for memory)'
  const fraction = progress?.type === 'loading' ? progress.fraction : undefined
  // In tens: each is worth a line
  return fraction === undefined ? '' : ` (${Math.floor(fraction * 10) * 10} %)`
}

const estimateText = (estimate: Estimate | undefined): string =>
  estimate === undefined ? '' : `, ${estimate.isLimit === true ? 'at most' : 'about'} ${secondsText(estimate.medianMs)}`

/** `3 s`: nobody waits for tenths. */
export const secondsText = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))} s`
