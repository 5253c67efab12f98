import type { Failure, HostId } from '@lswap/core'
import type { Clock } from '../clock.ts'
import { startPatience } from './patience.ts'

export type Told<Value> =
  | { readonly type: 'answered'; readonly value: Value }
  | { readonly type: 'silent'; readonly failure: Failure }

export interface Awaiting<Value> {
  /** Rejects with what the order threw. */
  readonly told: Promise<Told<Value>>
  /** The answer must come within this time from now, if that is sooner. */
  hasten(limitMs: number): void
}

export interface AwaitOptions {
  readonly clock: Clock
  readonly limitMs: number
  readonly host: HostId
  /** What was ordered, for the message. */
  readonly what: string
  /** The answer came when nobody waited for it any more. */
  readonly onLate: () => void
}

/** Gives an order, at once, and waits for its answer as long as it may take. */
export const awaitAnswer = <Value>(order: () => Promise<Value>, options: AwaitOptions): Awaiting<Value> => {
  const { clock, limitMs, host, what, onLate } = options
  const startedAt = clock.now()
  let isSilent = false
  let giveUp: ((failure: Failure) => void) | undefined
  const silence = new Promise<Told<Value>>((resolve) => {
    giveUp = (failure) => resolve({ type: 'silent', failure })
  })
  const patience = startPatience(clock, limitMs, () => {
    isSilent = true
    const seconds = Math.round((clock.now() - startedAt) / 1000)
    const message = `The agent of the host "${host}" did not answer ${what} within ${seconds} s.`
    giveUp?.({ code: 'host_unreachable', message })
  })
  const answer = async (): Promise<Told<Value>> => {
    try {
      return { type: 'answered', value: await order() }
    } finally {
      patience.end()
      if (isSilent) onLate()
    }
  }
  return { told: Promise.race([answer(), silence]), hasten: (ms) => patience.hasten(ms) }
}
