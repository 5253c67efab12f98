import { LswapError, type Failure, type ModelId } from '@lswap/core'
import { agentAboutSchema, agentLookSchema, stoppedSchema, swapLineSchema } from '@lswap/core/protocol'
import type { AgentAbout, AgentLook, SwapLine } from '@lswap/core/protocol'
import { systemTimers, type ForwardTimers } from '../forward/timers.ts'
import type { FollowOptions, LogFollowing } from '../logs/follow-log.ts'
import { followRemote } from './follow.ts'
import { documents } from './lines.ts'
import { createRpc } from './rpc.ts'

export interface OperatorOptions {
  /** http: or https:, with a name and a port. */
  readonly url: string
  readonly token: string
  /** Certificates that are trusted, in PEM; absent: those that Node trusts. */
  readonly ca?: string
  readonly timers?: ForwardTimers
}

export interface HandOrder {
  readonly model: ModelId
  /** Though a router uses the host. */
  readonly force: boolean
}

/**
 * Somebody's own hand at an agent. It reads, and gives orders without a term: it claims nothing, so no router loses a host to it. While
 * a router uses the host, the agent refuses what is not forced (`fenced`).
 */
export interface Operator {
  about(signal: AbortSignal): Promise<AgentAbout>
  look(signal: AbortSignal): Promise<AgentLook>
  /** Stops `evict`, then starts the model. Its end is the agent's: a load goes on when nobody waits for it any more. Throws why it failed or was refused. */
  load(order: HandOrder & { readonly evict: readonly ModelId[] }, onLine: (line: SwapLine) => void): Promise<void>
  /** Resolves when it has stopped. Throws why it did not or was refused. */
  stop(order: HandOrder & { readonly drainMs: number }): Promise<void>
  followLogs(model: ModelId, options: FollowOptions): LogFollowing
  close(): void
}

const CALL_MS = 3_000

export const createOperator = ({ url, token, ca, timers = systemTimers }: OperatorOptions): Operator => {
  const rpc = createRpc({
    origin: new URL(url).origin,
    token,
    ca,
    timers,
    onHeard: () => {},
    term: () => undefined,
  })
  const closed = new AbortController()
  const until = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, closed.signal])

  return {
    about: (signal) =>
      rpc.json({ method: 'GET', path: '/v1/agent', deadlineMs: CALL_MS, signal: until(signal) }, agentAboutSchema),
    look: (signal) =>
      rpc.json({ method: 'GET', path: '/v1/metrics', deadlineMs: CALL_MS, signal: until(signal) }, agentLookSchema),
    load: async ({ model, evict, force }, onLine) => {
      const call = {
        method: 'POST',
        path: '/v1/swap',
        body: { model, evict, force },
        signal: closed.signal,
      } as const
      for await (const document of documents(rpc.stream(call))) {
        const line = swapLineSchema.safeParse(document)
        if (!line.success) continue
        onLine(line.data)
        if (line.data.type === 'failed') throw new LswapError(line.data.failure)
        if (line.data.type === 'aborted') throw new LswapError(GIVEN_UP)
      }
    },
    stop: async ({ model, drainMs, force }) => {
      const body = { models: [model], timeoutMs: drainMs, force }
      const call = { method: 'POST', path: '/v1/stop', body, signal: closed.signal } as const
      const { outcomes } = await rpc.json(call, stoppedSchema)
      const failure = outcomes.find(({ outcome }) => outcome === 'stuck')?.failure
      if (failure !== undefined) throw new LswapError(failure)
    },
    followLogs: (model, options) => followRemote({ rpc, timers }, model, options),
    close: () => {
      closed.abort()
      rpc.close()
    },
  }
}

const GIVEN_UP: Failure = { code: 'cancelled', message: 'the load was given up: a router or a later order ended it' }
