import type { ForwardHead } from '@lswap/agent'
import type { AttemptEvents } from '../attempt.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { InferenceRoute } from '../inference-route.ts'
import { readUsage } from './read-usage.ts'
import { AnswerSample } from './sample.ts'

/** What an engine made for one request. */
export interface Tokens {
  readonly prompt: number | undefined
  readonly cached: number | undefined
  readonly completion: number | undefined
  /** Nobody told of the completion: it is the number of pieces that a stream came in. */
  readonly isEstimated: boolean
  /** From the head of the request to the first token; undefined: the answer came whole, and nobody told. */
  readonly firstTokenMs: number | undefined
}

export interface MeteredOptions {
  readonly call: Pick<Call, 'startedAt' | 'facts'>
  readonly route: InferenceRoute
  readonly clock: Clock
}

/**
 * Lets an answer pass, and keeps what its tokens can be read from. That is done when somebody asks: once the answer is over,
 * and out of everybody's way.
 */
export const metered = (events: AttemptEvents, { call, route, clock }: MeteredOptions): AttemptEvents => {
  const { facts, startedAt } = call
  const begunAfterMs = clock.now() - startedAt
  let sample: AnswerSample | undefined
  let firstMs: number | undefined

  const begin = (head: ForwardHead): void => {
    const kind = kindOf(head)
    if (kind === undefined) return
    const kept = new AnswerSample()
    sample = kept
    const counts = kind === 'stream' && route.streams !== undefined
    facts.tokens = once(() => {
      const { prompt, cached, completion, promptMs } = readUsage(kept.text())
      const isEstimated = completion === undefined && counts && kept.chunks() > 0
      const whole = promptMs === undefined ? undefined : begunAfterMs + promptMs
      return {
        prompt,
        cached,
        completion: isEstimated ? kept.chunks() : completion,
        isEstimated,
        firstTokenMs: kind === 'stream' ? firstMs : whole,
      }
    })
  }

  return {
    ...events,
    onHead: (head) => {
      begin(head)
      events.onHead(head)
    },
    onData: (chunk) => {
      if (sample !== undefined) {
        firstMs ??= clock.now() - startedAt
        sample.add(chunk)
      }
      return events.onData(chunk)
    },
  }
}

/** Answers that may tell of tokens: not errors, not what is compressed, and neither sound nor pictures. */
const kindOf = ({ status, headers }: ForwardHead): 'stream' | 'json' | undefined => {
  if (status !== 200) return undefined
  let kind: 'stream' | 'json' | undefined
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase()
    const value = headers[at + 1] ?? ''
    if (name === 'content-encoding' && value.toLowerCase() !== 'identity') return undefined
    if (name !== 'content-type') continue
    if (/^\s*text\/event-stream\b/i.test(value)) kind = 'stream'
    else if (/^\s*application\/json\b/i.test(value)) kind = 'json'
  }
  return kind
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined
  return () => (made ??= make())
}
