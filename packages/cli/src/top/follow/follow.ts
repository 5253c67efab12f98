import { failureOf, LswapError } from '@lswap/core/errors'
import { watch } from '../../client/feed.ts'
import { QUICK_MS, type RouterClient } from '../../client/router-client.ts'
import { duration } from '../../print/units.ts'
import type { Following, Listener } from '../source/source.ts'
import { reached } from './reached.ts'

export interface FollowOptions extends Following {
  readonly router: RouterClient
}

/** Waits between tries to connect again. */
const BACK_OFF_MS = [500, 1_000, 2_000, 4_000, 8_000]
/** A feed that says nothing may have nothing to say: after this the router is asked. */
const QUIET_MS = 4_000
const CHECK_MS = 1_000
const PROBE_MS = 3_000
/** Longer than between two heartbeats of a feed: the connection is dead, whatever the router answers elsewhere. */
const DEAD_MS = 20_000

/**
 * Tells of a router until the signal, over its restarts and stalls. Rejects only when it was never seen, so that a wrong address or key
 * is told at once.
 */
export const follow = async (options: FollowOptions): Promise<void> => {
  const { clock, signal, listener } = options
  let wasSeen = false
  let tries = 0
  const listenerHere: Listener = {
    ...listener,
    seen: (seen) => {
      wasSeen = true
      tries = 0
      listener.seen(seen)
    },
  }
  while (!signal.aborted) {
    const failure = failureOf(await attempt({ ...options, listener: listenerHere, isFirst: !wasSeen }))
    if (signal.aborted) return
    if (!wasSeen) throw new LswapError(failure)
    const pauseMs = BACK_OFF_MS[Math.min(tries, BACK_OFF_MS.length - 1)] ?? 0
    tries += 1
    const retryAt = clock.now() + pauseMs
    listener.lost(failure.message.replace(/\.$/, ''), retryAt)
    await reached(clock, retryAt, signal)
  }
}

/** One connection, until its end; resolves with why it ended. */
const attempt = async ({
  router,
  clock,
  signal,
  listener,
  isFirst,
}: FollowOptions & { readonly isFirst: boolean }): Promise<unknown> => {
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const began = clock.now()
  let hasSpoken = false
  let heardAt = began
  let lifeAt = began
  let isSilent = false
  let ended: unknown
  const alive = (): void => {
    lifeAt = clock.now()
    isSilent = false
  }
  const end = (why: unknown): void => {
    ended ??= why
    over.abort()
  }
  const check = async (): Promise<void> => {
    const now = clock.now()
    if (isFirst && !hasSpoken && now - began > QUICK_MS) return end(unanswered(router.url, QUICK_MS))
    if (now - heardAt > DEAD_MS) return end(unanswered(router.url, DEAD_MS))
    if (now - Math.max(heardAt, lifeAt) < QUIET_MS || !hasSpoken) return undefined
    try {
      await router.ask({ method: 'GET', path: '/api/version', deadlineMs: PROBE_MS, signal: both })
      if (both.aborted) return undefined
      if (isSilent) listener.heard()
      return alive()
    } catch (error) {
      // What came in the meantime is newer than the question
      if (both.aborted || heardAt > now) return undefined
      isSilent = true
      return listener.lost(failureOf(error).message.replace(/\.$/, ''), undefined)
    }
  }
  const watchdog = async (): Promise<void> => {
    while (!both.aborted) {
      await reached(clock, clock.now() + CHECK_MS, both)
      if (!both.aborted) await check()
    }
  }
  const guard = watchdog()
  try {
    for await (const seen of watch(router, both, () => {
      hasSpoken = true
      heardAt = clock.now()
      if (isSilent) listener.heard()
      alive()
    })) {
      if (!both.aborted) listener.seen(seen)
    }
    return ended ?? new LswapError({ code: 'unreachable', message: `The router at ${router.url} ended` })
  } catch (error) {
    return ended ?? error
  } finally {
    over.abort()
    await guard
  }
}

const unanswered = (url: string, ms: number): LswapError =>
  new LswapError({ code: 'timed_out', message: `The router at ${url} said nothing for ${duration(ms)}` })
