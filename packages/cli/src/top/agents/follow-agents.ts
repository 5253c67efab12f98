import type { Operator } from '@lswap/agent/client'
import { failureOf, LswapError, type Failure } from '@lswap/core/errors'
import type { AgentLook } from '@lswap/core/protocol'
import { reached } from '../follow/reached.ts'
import type { Following } from '../source/source.ts'
import { feedStateOf } from './feed-state.ts'
import { afterHeard, startView, type AgentHeard } from './view.ts'

/** An agent by the name that its rows have. */
export interface NamedOperator {
  readonly host: string
  readonly operator: Pick<Operator, 'look'>
}

const LOOK_MS = 1_000
/** Waits between tries to reach it again. */
const BACK_OFF_MS = [500, 1_000, 2_000, 4_000]

/**
 * Looks at agents until the signal, each at its own pace: one that hangs holds up no other. Rejects only when none of them ever
 * answered, so that a wrong address or token is told at once.
 */
export const followAgents = async (
  agents: readonly NamedOperator[],
  { clock, signal, listener }: Following,
): Promise<void> => {
  let view = startView(agents.map(({ host }) => host))
  /** When each that is lost is asked again. */
  const retries = new Map<string, number>()
  const untried = new Set(agents.map(({ host }) => host))
  let wasSeen = false

  const tell = (heard: AgentHeard): void => {
    view = afterHeard(view, heard)
    untried.delete(heard.host)
    // The first screen is a whole one
    if (untried.size > 0 || signal.aborted) return
    if (view.hosts.some(({ failure }) => failure === undefined)) {
      wasSeen = true
      listener.seen({ state: feedStateOf(view), at: clock.now() })
    } else if (wasSeen) {
      const why = view.hosts.map(({ failure }) => failure?.message).find((message) => message !== undefined)
      listener.lost((why ?? '').replace(/\.$/, ''), Math.min(...retries.values()))
    }
  }

  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  let dead: Failure | undefined

  const watch = async ({ host, operator }: NamedOperator): Promise<void> => {
    const ownClock = clockOf()
    for (let tries = 0; !both.aborted;) {
      let pauseMs = LOOK_MS
      try {
        const look = await operator.look(both)
        if (both.aborted) return
        tries = 0
        retries.delete(host)
        tell({ type: 'looked', host, at: clock.now(), look: ownClock(look, clock.now()) })
      } catch (error) {
        if (both.aborted) return
        const failure = failureOf(error)
        pauseMs = BACK_OFF_MS[Math.min(tries, BACK_OFF_MS.length - 1)] ?? LOOK_MS
        tries += 1
        retries.set(host, clock.now() + pauseMs)
        tell({ type: 'lost', host, at: clock.now(), failure })
        if (untried.size === 0 && !wasSeen) {
          dead = failure
          return ended.abort()
        }
      }
      await reached(clock, clock.now() + pauseMs, both)
    }
  }

  await Promise.all(agents.map(watch))
  if (dead !== undefined && !signal.aborted) throw new LswapError(dead)
}

/** Answers take longer and shorter: times that stand still must not move with that. */
const SAME_CLOCK_MS = 2_000

/** Moves the times of an agent's looks to our clock, all by the same. */
const clockOf = (): ((look: AgentLook, now: number) => AgentLook) => {
  let by: number | undefined
  return (look, now) => {
    const fresh = now - look.at
    if (by === undefined || Math.abs(fresh - by) > SAME_CLOCK_MS) by = fresh
    const moved = (at: number): number => at + (by ?? 0)
    return {
      ...look,
      at: moved(look.at),
      states: look.states.map((state) => Object.assign({}, state, { since: moved(state.since) })),
      devices: look.devices.map((device) => Object.assign({}, device, { sampledAt: moved(device.sampledAt) })),
    }
  }
}
