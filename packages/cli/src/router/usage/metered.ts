import type { ForwardHead } from '@lswap/agent'
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

export interface MeterOptions {
  readonly call: Pick<Call, 'startedAt' | 'facts'>
  readonly route: Pick<InferenceRoute, 'streams'>
  readonly clock: Clock
}

/**
 * Keeps of one attempt's answer what its tokens can be read from. That is done when somebody asks: once the answer is over, and
 * out of everybody's way.
 */
export class Meter {
  private readonly options: MeterOptions
  private readonly begunAfterMs: number
  private sample: AnswerSample | undefined
  private firstMs: number | undefined

  constructor(options: MeterOptions) {
    this.options = options
    this.begunAfterMs = options.clock.now() - options.call.startedAt
  }

  begin(head: ForwardHead): void {
    const kind = kindOf(head)
    if (kind === undefined) return
    const sample = new AnswerSample()
    this.sample = sample
    // Not a function written here: see `Call.follow`
    this.options.call.facts.tokens = once(() => this.read(sample, kind))
  }

  add(chunk: Buffer): void {
    if (this.sample === undefined) return
    this.firstMs ??= this.options.clock.now() - this.options.call.startedAt
    this.sample.add(chunk)
  }

  private read(sample: AnswerSample, kind: 'stream' | 'json'): Tokens {
    const counts = kind === 'stream' && this.options.route.streams !== undefined
    const { prompt, cached, completion, promptMs } = readUsage(sample.text())
    const isEstimated = completion === undefined && counts && sample.chunks() > 0
    const whole = promptMs === undefined ? undefined : this.begunAfterMs + promptMs
    return {
      prompt,
      cached,
      completion: isEstimated ? sample.chunks() : completion,
      isEstimated,
      firstTokenMs: kind === 'stream' ? this.firstMs : whole,
    }
  }
}

const once = (read: () => Tokens): (() => Tokens) => {
  let tokens: Tokens | undefined
  return () => (tokens ??= read())
}

/** Answers that may tell of tokens: not errors, not what is compressed, and neither sound nor pictures. */
const kindOf = ({ status, headers }: ForwardHead): 'stream' | 'json' | undefined => {
  if (status !== 200) return undefined
  let kind: 'stream' | 'json' | undefined
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const lower = name.toLowerCase()
    const value = headers[at + 1] ?? ''
    if (lower === 'content-encoding' && value.toLowerCase() !== 'identity') return undefined
    if (lower !== 'content-type') continue
    if (/^\s*text\/event-stream\b/i.test(value)) kind = 'stream'
    else if (/^\s*application\/json\b/i.test(value)) kind = 'json'
  }
  return kind
}
