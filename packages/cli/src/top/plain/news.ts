import type { FeedState } from '@lswap/core/protocol'
import { plainLine } from '../../print/plain.ts'
import { clockText } from '../../print/units.ts'
import { eventRows } from '../panel/events.ts'

/** What happened between two states, a line each, the oldest first. */
export const newsLines = (before: FeedState, after: FeedState, at: number): readonly string[] => {
  const known = new Set(eventRows(before).map(({ key }) => key))
  const events = eventRows(after)
    .filter(({ key }) => !known.has(key))
    .toReversed()
    .map(({ at: eventAt, text }) => `${clockText(eventAt)} ${plainLine(text)}`)
  const states = new Map(before.models.map(({ model, state }) => [model, state]))
  const changes = after.models.flatMap(({ model, state }) => {
    const was = states.get(model)
    // Of loads the events tell more
    if (was === state || state === 'loading' || state === 'ready') return []
    return [`${clockText(at)} ${plainLine(model)}: ${state}`]
  })
  const isAnother = before.queue.total !== after.queue.total
  const queue = isAnother ? [`${clockText(at)} queue: ${after.queue.total} waiting`] : []
  return [...events, ...changes, ...queue]
}
