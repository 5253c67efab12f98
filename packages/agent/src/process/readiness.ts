import type { Prober } from './probe.ts'
import { aborted } from './wait.ts'

/** Pause between probes at first; a probe costs the engine nothing at this rate. */
const FAST_MS = 5
const FAST_FOR_MS = 2_000
const SLOW_MS = 20
/** Pause after a probe when the engine writes, which often means that it just became ready; without any it loads slower. */
const HINTED_MS = 1

export type Readiness =
  | { readonly outcome: 'ready' }
  | { readonly outcome: 'timeout'; /** What the last probe said. */ readonly detail: string }
  | { readonly outcome: 'cancelled' }

export interface ReadinessOptions {
  readonly prober: Prober
  readonly limitMs: number
  readonly signal: AbortSignal
}

export interface ReadinessWatch {
  readonly result: Promise<Readiness>
  /** The engine wrote something: look sooner. */
  hint(): void
}

/** The pause between two probes, which a hint shortens and `end` cuts. */
const createPacer = () => {
  const began = performance.now()
  let last = began
  let ended = began
  let hinted = false
  let sleeping: { readonly timer: NodeJS.Timeout; readonly wake: () => void } | undefined

  const sleepUntil = (at: number, wake: () => void): void => {
    clearTimeout(sleeping?.timer)
    const leftMs = Math.ceil(at - performance.now())
    // A timer, however short, would cost another millisecond.
    if (leftMs <= 0) wake()
    else sleeping = { timer: setTimeout(wake, leftMs), wake }
  }

  return {
    probeStarted(): void {
      last = performance.now()
      hinted = false
    },
    async pause(): Promise<void> {
      ended = performance.now()
      const usual = last - began < FAST_FOR_MS ? FAST_MS : SLOW_MS
      await new Promise<void>((resolve) => {
        sleepUntil(hinted ? ended + HINTED_MS : last + usual, resolve)
      })
      sleeping = undefined
    },
    hint(): void {
      if (hinted) return
      hinted = true
      if (sleeping !== undefined) sleepUntil(ended + HINTED_MS, sleeping.wake)
    },
    end(): void {
      clearTimeout(sleeping?.timer)
      sleeping?.wake()
    },
  }
}

/** Probes until the engine is ready, the time is up or the signal fires; one probe at a time. */
export const watchReadiness = ({ prober, limitMs, signal }: ReadinessOptions): ReadinessWatch => {
  const pacer = createPacer()
  const ended = new AbortController()

  const probeUntilReady = async (stop: Promise<void>): Promise<Readiness> => {
    let detail = 'nothing was asked yet'
    while (!ended.signal.aborted) {
      pacer.probeStarted()
      const probe = prober.start()
      const found = await Promise.race([probe.result, stop])
      if (found === undefined) {
        probe.cancel()
        detail = `${detail}; the last question was still open`
      } else if (found.ready) return { outcome: 'ready' }
      else {
        detail = found.detail
        await pacer.pause()
      }
    }
    return signal.aborted ? { outcome: 'cancelled' } : { outcome: 'timeout', detail }
  }

  const watch = async (): Promise<Readiness> => {
    const end = (): void => {
      ended.abort()
      pacer.end()
    }
    const deadline = setTimeout(end, limitMs)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const stop = aborted(ended.signal)
    try {
      return await probeUntilReady(stop.fired)
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', end)
      stop.release()
    }
  }

  return { result: watch(), hint: () => pacer.hint() }
}
