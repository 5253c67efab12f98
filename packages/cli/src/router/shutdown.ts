import type { Failure, HostId, RequestId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Socket } from 'node:net'
import type { OpenStreams } from './answer/streams.ts'
import type { BoundServer } from './bind.ts'
import type { Call } from './call.ts'
import type { Clock } from './clock.ts'
import type { Feed } from './feed/feed.ts'
import type { Leaving } from './fleet/leaving.ts'
import type { RouterLimits } from './limits.ts'
import type { ForgettingMap } from './forgetting-map.ts'
import type { Log } from './log.ts'
import { withDeadline } from './loop/deadline.ts'
import type { RunLoop } from './loop.ts'
import type { Pulse } from './pulse.ts'

/** What ends with a router. */
export interface Closing {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly closePeers: () => void
  readonly calls: Pick<ForgettingMap<RequestId, Call>, 'size' | 'values'>
  readonly clock: Clock
  readonly feed: Feed
  readonly leaving: Pick<Leaving, 'stop'>
  readonly limits: RouterLimits
  readonly log: Log
  readonly loop: RunLoop
  readonly pulse: Pulse
  /** The longest that a model may take to stop when it was asked to. */
  readonly longestUnloadMs: () => number
  readonly servers: readonly BoundServer[]
  readonly streams: OpenStreams
  readonly state: { isClosing: boolean; closed?: Promise<void>; destroyed?: Promise<void> }
}

export const SHUTTING_DOWN: Failure = { code: 'shutting_down', message: 'lswap is shutting down.' }

/** For the answers of requests that were cut to reach their clients. */
const FLUSH_MS = 1_000
/** How often an end is looked for while something is waited for. */
const LOOK_MS = 20

/** Each step has its bound, so that the whole has one. */
export const closeRouter = (closing: Closing): Promise<void> => {
  closing.state.closed ??= drain(closing).finally(() => closing.closePeers())
  return closing.state.closed
}

export const destroyRouter = (closing: Closing): Promise<void> => {
  closing.state.destroyed ??= cut(closing).finally(() => closing.closePeers())
  return closing.state.destroyed
}

const drain = async (closing: Closing): Promise<void> => {
  const { agents, calls, leaving, limits, log, longestUnloadMs, loop, servers } = closing
  refuseNew(closing)
  await untilNone(closing, limits.shutdownDrainMs)
  if (calls.size > 0) log.warn({ requests: calls.size }, 'shutting down: cutting the requests that still run')
  for (const call of calls.values()) call.onCut(SHUTTING_DOWN)
  await untilNone(closing, FLUSH_MS)
  for (const { server } of servers) server.closeAllConnections()
  const limitMs = longestUnloadMs() + limits.agentsSlackMs
  await Promise.all([...agents.values()].map((agent) => closeAgent(closing, agent, limitMs)))
  loop.stop()
  leaving.stop()
}

const cut = async (closing: Closing): Promise<void> => {
  const { agents, calls, leaving, log, loop, servers } = closing
  refuseNew(closing)
  for (const call of calls.values()) call.onCut(SHUTTING_DOWN)
  for (const { server } of servers) server.closeAllConnections()
  const ends = await Promise.allSettled([...agents.values()].map((agent) => agent.destroy()))
  for (const end of ends)
    if (end.status === 'rejected') log.error({ err: end.reason as unknown }, 'an agent was not destroyed')
  loop.stop()
  leaving.stop()
}

const refuseNew = ({ calls, feed, loop, pulse, servers, state, streams }: Closing): void => {
  state.isClosing = true
  tellLast(calls.values())
  pulse.stop()
  // They have no end of their own to wait for
  feed.close()
  streams.close()
  for (const { server } of servers) {
    server.close()
    server.closeIdleConnections()
  }
  loop.shutdown(SHUTTING_DOWN)
}

/** The last answer of each connection says that it is: clients must not send a request that finds the connection closed. */
const tellLast = (calls: Iterable<Call>): void => {
  const last = new Map<Socket, Call>()
  for (const call of calls) {
    const other = last.get(call.req.socket)
    if (other === undefined || other.id < call.id) last.set(call.req.socket, call)
  }
  for (const { res } of last.values()) if (!res.headersSent) res.shouldKeepAlive = false
}

/** Resolves when every request has ended, or the time is over. */
const untilNone = ({ calls, clock }: Closing, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const end = clock.now() + limitMs
    const look = (): void => {
      if (calls.size === 0 || clock.now() >= end) resolve()
      else clock.setTimer(clock.now() + LOOK_MS, look)
    }
    look()
  })

const closeAgent = async ({ clock, log }: Closing, agent: Agent, limitMs: number): Promise<void> => {
  try {
    await withDeadline(agent.close(), { clock, limitMs, what: `the agent of ${agent.host} at its close` })
  } catch (error) {
    log.error({ err: error, host: agent.host }, 'the models did not stop in time: killing them')
    await agent.destroy()
  }
}
