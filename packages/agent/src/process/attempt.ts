import type { Epoch, Failure } from '@lswap/core'
import type { SwapProgress } from '../agent.ts'
import type { Engine } from './engine.ts'
import { aborted } from './wait.ts'

export type StartOutcome =
  | { readonly outcome: 'ready'; readonly epoch: Epoch; readonly slots: number | undefined }
  | { readonly outcome: 'failed'; readonly failure: Failure }
  | { readonly outcome: 'aborted' }

export type OnProgress = (progress: SwapProgress) => void

/** Somebody who wants the process ready. */
export interface Wish {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

/** One start that several may wait for; it is given up when the last of them leaves. */
export interface Attempt {
  readonly ended: Promise<StartOutcome>
  isGivenUp(): boolean
  giveUp(): void
  /** The process, once there is one. */
  engine(): Engine | undefined
  /** The outcome for this wish; undefined: the attempt had been given up before, look again at what is now. */
  join(wish: Wish): Promise<StartOutcome | undefined>
}

/** How an attempt tells how far it is. */
export interface AttemptReports {
  readonly onSpawn: (engine: Engine) => void
  readonly onProgress: OnProgress
}

export type RunAttempt = (signal: AbortSignal, reports: AttemptReports) => Promise<StartOutcome>

export const createAttempt = (run: RunAttempt): Attempt => {
  const controller = new AbortController()
  const wishes = new Set<Wish>()
  let past: readonly SwapProgress[] = []
  let engine: Engine | undefined

  const ended = run(controller.signal, {
    onSpawn: (spawned) => {
      engine = spawned
    },
    onProgress: (progress) => {
      past = [...past.filter(({ type }) => type !== progress.type), progress]
      for (const wish of wishes) wish.onProgress(progress)
    },
  })

  return {
    ended,
    isGivenUp: () => controller.signal.aborted,
    giveUp: () => controller.abort(),
    engine: () => engine,
    async join(wish) {
      const left = aborted(wish.signal)
      try {
        if (controller.signal.aborted) {
          await Promise.race([ended, left.fired])
          return undefined
        }
        wishes.add(wish)
        for (const progress of past) wish.onProgress(progress)
        const outcome = await Promise.race([ended, left.fired])
        wishes.delete(wish)
        if (outcome !== undefined) return outcome
        if (wishes.size > 0) return { outcome: 'aborted' }
        controller.abort()
        // Not before it is gone: who is told may use its memory.
        return await ended
      } finally {
        left.release()
      }
    },
  }
}
