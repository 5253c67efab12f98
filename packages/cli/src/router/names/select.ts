import type { PlacementPhase, SelectorConfig } from '@lswap/core'

/** A target as a selector sees it. */
export interface Candidate {
  /** The name that the configuration has for it. */
  readonly name: string
  /** What it is, whichever name it is called by. */
  readonly key: string
  /** Undefined: a peer's, of which nothing is known. */
  readonly phase: PlacementPhase | undefined
  /** Requests of this selector that it serves or that wait for it. */
  readonly reserved: number
}

type Strategy = (
  candidates: readonly Candidate[],
  settings: { spillover: number; turn: number },
) => Candidate | undefined

/** The first. */
const pin: Strategy = ([first]) => first

/** The first that is loaded, else the first that loads, else the first. */
const warm: Strategy = (candidates) =>
  candidates.find(({ phase }) => phase === 'ready') ??
  candidates.find(({ phase }) => phase === 'loading') ??
  candidates[0]

const isLeaving = ({ phase }: Candidate): boolean => phase === 'stopping' || phase === 'stuck'
const isActive = ({ phase, reserved }: Candidate): boolean => phase === 'ready' || phase === 'loading' || reserved > 0

/** Fills those that are in use up to a count, the least busy first, before the next one is begun. */
const spillover: Strategy = (candidates, settings) => {
  const usable = candidates.filter((one) => !isLeaving(one))
  const active = usable.filter((one) => isActive(one))
  const next = usable.find((one) => !isActive(one))
  const least = Math.min(...active.map(({ reserved }) => reserved))
  if (next !== undefined && least >= settings.spillover) return next
  const tied = active.filter(({ reserved }) => reserved === least)
  // All of them stop: the first will be started again
  return tied[settings.turn % tied.length] ?? next ?? candidates[0]
}

export const STRATEGIES: Readonly<Record<SelectorConfig['strategy'], Strategy>> = { pin, warm, spillover }
