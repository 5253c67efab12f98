import type { PlacementState } from './placement.ts'

// An engine hears of a client that left at its next look at the connection, and goes on to the end of its batch: a llama-server for up to
// a second and 2,048 tokens. Whatever is sent there meanwhile waits in it.

/** So long one counts that no sample tells of. */
const LONGEST_MS = 30_000

/** A request was given up before anything of its answer came. */
export const noteGivenUp = (target: PlacementState, now: number): void => {
  target.lingering = [...target.lingering, now]
}

/** How many its engine may still be at. */
export const lingeringAt = ({ lingering }: PlacementState, now: number): number => {
  if (lingering.length === 0) return 0
  return lingering.filter((at) => now - at < LONGEST_MS).length
}

/** The latest sample says how many the engine is at: those that are not ours can be of earlier ones, and more of these have ended. */
export const settleLingering = (target: PlacementState): void => {
  const { sample, lingering, inFlight, dispatchedSince } = target
  if (lingering.length === 0 || sample?.running === undefined) return
  const others = Math.max(0, sample.running - (inFlight - dispatchedSince))
  const later = lingering.filter((at) => at >= sample.sampledAt)
  const earlier = lingering.slice(0, lingering.length - later.length)
  target.lingering = [...earlier.slice(Math.max(0, earlier.length - others)), ...later]
}
