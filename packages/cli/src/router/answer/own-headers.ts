import type { RequestTimeline } from '@lswap/core'
import type { Call } from '../call.ts'

/** What every answer to an inference request tells about itself: name, value, name, value … */
const ownFields = ({ id, req, facts }: Call): string[] => {
  const fields = ['X-Lswap-Request-Id', String(id)]
  const incoming = req.headers['x-request-id']
  if (typeof incoming === 'string') fields.push('X-Request-Id', incoming)
  if (facts.model !== undefined) fields.push('X-Lswap-Model', headerText(facts.model))
  if (facts.host !== undefined) fields.push('X-Lswap-Host', headerText(facts.host))
  if (facts.waitMs !== undefined) fields.push('X-Lswap-Wait-Ms', String(Math.round(facts.waitMs)))
  return fields
}

/** The same by name. */
export const ownHeaders = (call: Call): Record<string, string> => {
  const fields = ownFields(call)
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < fields.length; at += 2) headers[fields[at] ?? ''] = fields[at + 1] ?? ''
  return headers
}

interface Timing {
  readonly waitMs: number
  readonly upstreamMs: number
  readonly timeline: RequestTimeline | undefined
}

/** `Server-Timing`: waiting in the queue, the swap that it waited for, and the engine's time to its first byte. */
const serverTiming = ({ waitMs, upstreamMs, timeline }: Timing): string => {
  const swapMs = Math.min(waitMs, waitMs > 0 && timeline !== undefined ? swapTime(timeline) : 0)
  return `queue;dur=${(waitMs - swapMs).toFixed(1)}, swap;dur=${swapMs.toFixed(1)}, upstream;dur=${upstreamMs.toFixed(1)}`
}

/** How much of the wait a swap for the model was running; one that it joined counts from its own arrival. */
const swapTime = ({ steps }: RequestTimeline): number => {
  let queuedAt: number | undefined
  let startedAt: number | undefined
  let sum = 0
  for (const { at, type } of steps) {
    if (type === 'queued' || type === 'requeued') queuedAt = at
    else if (type === 'swap-started') startedAt = at
    else if (type === 'swap-ended') {
      sum += at - (startedAt ?? queuedAt ?? at)
      startedAt = undefined
      queuedAt = at
    }
  }
  return sum
}

/** All of them, raw, on an answer that the engine gave. */
export const answerHeaders = (call: Call, timing: Omit<Timing, 'waitMs'>): readonly string[] => {
  const fields = ownFields(call)
  const { upstreamMs, timeline } = timing
  fields.push('Server-Timing', serverTiming({ waitMs: call.facts.waitMs ?? 0, upstreamMs, timeline }))
  return fields
}

/** Header values are ASCII here; names in other scripts are percent-encoded. */
const headerText = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text))
