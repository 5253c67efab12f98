import { LswapError, modelId, type Failure, type HostId, type ModelId } from '@lswap/core'
import { agentAboutSchema, agentLookSchema, claimedSchema, proxyPath } from '@lswap/core/protocol'
import { AGENT_HEADERS, type AgentAbout, type AgentFeedEvent, type AgentMetrics } from '@lswap/core/protocol'
import { randomUUID } from 'node:crypto'
import type { Agent, AgentEvent, ProcessView } from '../agent.ts'
import { systemTimers, type ForwardTimers } from '../forward/timers.ts'
import { createUpstream } from '../forward/upstream.ts'
import { SILENT, type Logger } from '../logs/logger.ts'
import { createContact } from './contact.ts'
import { createEpochs } from './epochs.ts'
import { createEvents } from './events.ts'
import { createExits } from './exits.ts'
import { followRemote } from './follow.ts'
import { createForwards } from './forwards.ts'
import { createRemoteMemory } from './memory.ts'
import { onOurClock } from './on-our-clock.ts'
import { createRemoteOrders } from './orders.ts'
import { createRpc } from './rpc.ts'
import { gone, refused } from './refused.ts'
import { viewOf } from './views.ts'

export interface RemoteAgentOptions {
  /** What the router calls the host. */
  readonly host: HostId
  /** http: or https:, with a name and a port. */
  readonly url: string
  readonly token: string
  /** Certificates that are trusted, in PEM; absent: those that Node trusts. */
  readonly ca?: string
  readonly log?: Logger
  readonly timers?: ForwardTimers
  /** Numbers of processes up to this were given already, by another client of the host. */
  readonly epochsBefore?: number
  /** How long an agent may say nothing until it counts as lost. */
  readonly silenceMs?: number
}

export interface RemoteDetails {
  readonly url: string
  /** Since when it can be used, or can not, in milliseconds since 1970. */
  readonly since: number
  /** Undefined: it was never reached. */
  readonly version: string | undefined
  readonly engines: AgentAbout['engines']
}

/** An agent on another machine, or in another process. */
export interface RemoteAgent extends Agent {
  /** The models that it can run, as it said last; undefined: it was never reached. */
  models(): readonly ModelId[] | undefined
  /** Why it can not be used now; undefined: it can. */
  failure(): Failure | undefined
  /** What it said of itself. */
  details(): RemoteDetails
  /** The highest number that a process of it was given. */
  highestEpoch(): number
  /** Another client takes the host over: orders end with this, nothing new is sent, and answers that have begun come to their end. */
  retire(why: Failure): void
  /** What it measured last; undefined: nothing yet, or it is lost. */
  readonly metrics: () => Promise<AgentMetrics | undefined>
  /** Resolves when it was reached, or found not to answer. */
  readonly tried: Promise<void>
}

const CALL_MS = 2_000
/** A claim waits for the end of loads that an earlier router began. */
const CLAIM_MS = 30_000
const SILENCE_MS = 3_000
const AGAIN_MS = 1_000

/** Begins to dial it. The router that made it claims the host once, at the first contact. */
export const createRemoteAgent = (options: RemoteAgentOptions): RemoteAgent => {
  const { host, url, token, ca, log = SILENT, timers = systemTimers, silenceMs = SILENCE_MS } = options
  const { origin, protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'https:'
  const listeners = new Set<(event: AgentEvent) => void>()
  const epochs = createEpochs(options.epochsBefore)
  const claimant = randomUUID()
  let term: number | undefined
  let models: readonly ModelId[] | undefined
  let told: AgentAbout | undefined
  let since = Date.now()
  let metrics: AgentMetrics | undefined
  const memory = createRemoteMemory()

  const emit = (event: AgentEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const exits = createExits({ host, emit })
  const failure = (): Failure | undefined => (contact.isUp() ? undefined : (contact.failure() ?? NOT_YET))
  const rpc = createRpc({ origin, token, ca, timers, onHeard: () => contact.heard(), term: () => term })

  const learn = async (): Promise<AgentAbout> => {
    const about = await rpc.json({ method: 'GET', path: '/v1/agent', deadlineMs: CALL_MS }, agentAboutSchema)
    const next = about.models.map(modelId)
    const isOther = models === undefined || next.join('\n') !== models.join('\n')
    models = next
    told = about
    if (memory.learn(about)) emit({ type: 'sizes-changed' })
    if (isOther) emit({ type: 'models-changed' })
    return about
  }

  const onAnswer = async (start: string): Promise<void> => {
    // Once in the life of this router: one that was overtaken must not take the host back
    term ??= (
      await rpc.json({ method: 'POST', path: '/v1/claim', body: { claimant }, deadlineMs: CLAIM_MS }, claimedSchema)
    ).term
    const about = await learn()
    if (about.start !== start) throw new LswapError(RESTARTED)
    if (epochs.start() !== start) {
      epochs.begin(start)
      events.begin(about.event)
      orders.forget()
    }
    await orders.settle()
  }

  /** Whoever got no answer takes the host for lost: it is offered again while it is there. */
  const askAgain = (): void => {
    timers.after(AGAIN_MS, () => {
      if (contact.isUp()) emit({ type: 'host-returned' })
    })
  }

  const onLost = (why: Failure): void => {
    metrics = undefined
    since = Date.now()
    events.close()
    const { afterwards } = orders.lose(why)
    // What was to stop is told first: nobody knows what became of it, which is then so of all that runs there
    setImmediate(() => {
      emit({ type: 'host-lost', failure: why })
      afterwards()
      forwards.lose(why)
    })
  }

  const contact = createContact({
    rpc,
    timers,
    silenceMs,
    log: withHost(log, host),
    term: () => term,
    onAnswer,
    onUp: () => {
      since = Date.now()
      events.open()
      // After what was told of its loss
      setImmediate(() => {
        if (contact.isUp()) emit({ type: 'host-returned' })
      })
    },
    onLost,
  })

  const onEvent = (event: AgentFeedEvent): void => {
    switch (event.type) {
      case 'hello':
        if (event.start !== epochs.start()) return contact.restart(RESTARTED)
        // What was missed can not be told any more
        if (event.isGap && event.number > 0) emit({ type: 'host-returned' })
        return undefined
      case 'process-exited':
        return exits.tell(modelId(event.model), epochs.ours(event.epoch), event.failure)
      case 'changed':
        learn()
          .then(() => emit({ type: 'host-returned' }))
          .catch(() => void contact.suspect())
        return undefined
      case 'sampled':
        metrics = onOurClock(event.metrics, epochs, Date.now())
        memory.sampled(event.metrics)
        emit({ type: 'measured' })
        return undefined
      case 'sized':
        learn().catch(() => void contact.suspect())
        return undefined
      case 'noticed':
        // Its own words, in the router's log and for who looks on
        withHost(log, host)[event.level](event.model === null ? {} : { model: event.model }, `${host}: ${event.text}`)
        return undefined
      case 'process-changed':
        return undefined
    }
  }

  const events = createEvents({
    rpc,
    timers,
    start: () => epochs.start(),
    onEvent,
    onBroken: () => contact.suspect(),
    isWanted: () => contact.isUp(),
  })
  const orders = createRemoteOrders({
    rpc,
    timers,
    epochs,
    term: () => term,
    failure,
    onBroken: () => contact.suspect(),
    onFenced: (why) => contact.fence(why),
  })
  const forwards = createForwards({
    connect: () =>
      createUpstream({
        host: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? (isSecure ? 443 : 80) : Number(port),
        tls: isSecure,
        ...(ca === undefined ? {} : { ca }),
        extraHeaders: [AGENT_HEADERS.token, token, AGENT_HEADERS.term, String(term ?? 0)],
      }),
    onHeard: () => contact.heard(),
    onBroken: () => contact.suspect(),
    reached: (event) => events.reached(event),
    failure,
  })

  const retire = (why: Failure): void => {
    contact.stop()
    events.close()
    orders.lose(why).afterwards()
  }

  const leave = async (): Promise<void> => {
    retire(CLOSED)
    forwards.close(CLOSED)
    rpc.close()
  }

  contact.start()
  return {
    host,
    models: () => models,
    failure,
    highestEpoch: () => epochs.highest(),
    retire,
    details: () => ({ url: origin, since, version: told?.version, engines: told?.engines ?? [] }),
    metrics: async () => metrics,
    memory: async () => (contact.isUp() ? memory.report() : undefined),
    tried: contact.tried,
    swap: async (order, onProgress = () => {}) => {
      const result = await orders.swap(order, onProgress)
      if (result.outcome === 'ready') exits.ready(order.model, result.epoch)
      return result
    },
    abort: (generation) => orders.abort(generation),
    stop: (order) => orders.stop(order, host),
    forward: ({ model }, epoch, request, handler) => {
      const theirs = epochs.theirs(epoch)
      const start = epochs.start()
      const why = failure() ?? (theirs === undefined || start === undefined ? gone(model) : undefined)
      if (why !== undefined || theirs === undefined || start === undefined) {
        return refused(handler, why ?? gone(model))
      }
      return forwards.forward({ ...request, path: proxyPath(model, { start, epoch: theirs }) + request.path }, handler)
    },
    processes: async (): Promise<readonly ProcessView[]> => {
      await contact.tried
      const why = failure()
      if (why !== undefined) throw new LswapError(why)
      const look = await rpc
        .json({ method: 'GET', path: '/v1/metrics', deadlineMs: CALL_MS }, agentLookSchema)
        .catch((error: unknown) => {
          askAgain()
          throw error
        })
      // An answer that a lost host still gave must not bring it back before it can be used
      const lost = failure()
      if (lost !== undefined) throw new LswapError(lost)
      return look.states.map((state) => viewOf(state, epochs)).filter((view) => !exits.isGone(view))
    },
    logs: async (model, tail) => {
      const path = `/v1/logs/${encodeURIComponent(model)}?tail=${tail}`
      return (await rpc.text({ method: 'GET', path, deadlineMs: CALL_MS })).split('\n').slice(0, -1)
    },
    followLogs: (model, follow) => followRemote({ rpc, timers }, model, follow),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: leave,
    destroy: leave,
  }
}

const withHost = (log: Logger, host: HostId): Logger => ({
  debug: (fields, message) => log.debug({ host, ...fields }, message),
  info: (fields, message) => log.info({ host, ...fields }, message),
  warn: (fields, message) => log.warn({ host, ...fields }, message),
  error: (fields, message) => log.error({ host, ...fields }, message),
})

const NOT_YET: Failure = { code: 'host_unreachable', message: 'its agent was not reached yet' }
const RESTARTED: Failure = { code: 'host_unreachable', message: 'the agent was restarted' }
const CLOSED: Failure = { code: 'shutting_down', message: 'lswap is shutting down' }
