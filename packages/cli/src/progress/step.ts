import type { FeedState } from '@lswap/core/protocol'
import { plainLine } from '../print/plain.ts'
import { duration } from '../print/units.ts'
import type { Seen } from '../client/feed.ts'

/** How far something is. */
export interface Step {
  /** What is done now; the same text as long as it is the same. */
  readonly text: string
  /** When it began, on the router's clock; undefined: not known. */
  readonly since: number | undefined
  /** 0 to 1, where the engine or earlier loads tell. */
  readonly fraction: (at: number) => number | undefined
}

const untold = (): undefined => undefined

/** How far a model is on its way to ready; undefined: nothing to tell. */
export const loadStep = ({ state }: Seen, name: string): Step | undefined => {
  const model = state.models.find((one) => one.model === name || one.aliases.includes(name))
  if (model === undefined || model.state === 'ready') return undefined
  const shown = plainLine(model.model)
  const swap = state.swaps.find((one) => one.model === model.model && one.endedAt === null)
  if (swap !== undefined) return swapStep(swap)
  const request = state.waiting.find((one) => one.model === model.model)
  if (request === undefined) return undefined
  const why = request.cause === null ? '' : `: ${plainLine(request.cause.text)}`
  return { text: `${shown} waits${why}`, since: request.receivedAt, fraction: untold }
}

const swapStep = (swap: FeedState['swaps'][number]): Step => {
  const shown = plainLine(swap.model)
  if (swap.phase === 'stopping') {
    const going = swap.evict.map(plainLine).join(', ')
    return { text: `${shown}: stopping ${going} to make room`, since: swap.startedAt, fraction: untold }
  }
  if (swap.phase === 'waiting-memory') {
    return { text: `${shown}: waiting for memory`, since: swap.startedAt, fraction: untold }
  }
  const since = swap.loadingAt ?? swap.startedAt
  const usually = swap.expectedLoadMs === null ? '' : `, usually ${duration(swap.expectedLoadMs)}`
  return {
    text: `loading ${shown} on ${plainLine(swap.host)}${usually}`,
    since,
    fraction: (at) => swap.fraction ?? expected(at - since, swap.expectedLoadMs),
  }
}

/** By how long loads took before. It never says that something is done. */
const expected = (elapsedMs: number, expectedMs: number | null): number | undefined =>
  expectedMs === null || expectedMs <= 0 ? undefined : Math.min(0.99, Math.max(0, elapsedMs / expectedMs))

/** What unloading models waits for; `names` undefined: all. */
export const unloadStep = ({ state }: Seen, names: readonly string[] | undefined): Step | undefined => {
  const going = state.models.filter(
    ({ model, aliases, state: phase }) =>
      phase === 'stopping' && (names === undefined || [model, ...aliases].some((name) => names.includes(name))),
  )
  if (going.length === 0) return undefined
  const shown = going.map(({ model }) => plainLine(model)).join(', ')
  const placements = going.flatMap(({ placements: all }) => all.filter((one) => one.state === 'stopping'))
  const serving = placements.reduce((sum, { inFlight }) => sum + inFlight, 0)
  const since = Math.min(...placements.map((one) => one.since))
  if (serving === 0) return { text: `stopping ${shown}`, since, fraction: untold }
  const requests = serving === 1 ? '1 running request' : `${serving} running requests`
  return { text: `${shown}: ${requests} may end first`, since, fraction: untold }
}
