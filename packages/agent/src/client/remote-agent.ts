import { LswapError, type Failure, type HostId, type ModelId, type Redact } from '@lswap/core'
import { AGENT_HEADERS, proxyPath, type AgentAbout, type AgentMetrics } from '@lswap/core/protocol'
import type { Agent, AgentEvent } from '../agent.ts'
import { systemTimers, type ForwardTimers } from '../forward/timers.ts'
import { createUpstream } from '../forward/upstream.ts'
import { SILENT, type Logger } from '../logs/logger.ts'
import { CALL_MS, createAbout } from './about.ts'
import { createContact } from './contact.ts'
import { createEpochs } from './epochs.ts'
import { createEvents } from './events.ts'
import { createExits } from './exits.ts'
import { followRemote } from './follow.ts'
import { createForwards } from './forwards.ts'
import { hostLog } from './host-log.ts'
import { createLook } from './look.ts'
import { createRemoteMemory } from './memory.ts'
import { createRemoteOrders } from './orders.ts'
import { createRpc } from './rpc.ts'
import { gone, refused, RESTARTED } from './refused.ts'
import { redactedResult, redactedView } from '../redact/told.ts'
import { createTold } from './told.ts'

export interface RemoteAgentOptions {
  /** What the router calls the host. */
  readonly host: HostId
  /** http: or https:, with a name and a port. */
  readonly url: string
  readonly token: string
  /** Certificates that are trusted, in PEM; absent: those that Node trusts. */
  readonly ca?: string
  readonly log?: Logger
  /** Takes out secrets that the agent may not know of. Absent: there are none. */
  readonly redact?: Redact
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

const SILENCE_MS = 3_000

/** Begins to dial it. The router that made it claims the host once, at the first contact. */
export const createRemoteAgent = (options: RemoteAgentOptions): RemoteAgent => {
  const { host, url, token, ca, log = SILENT, timers = systemTimers, silenceMs = SILENCE_MS } = options
  const { redact = (text) => text } = options
  const { origin, protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'https:'
  const listeners = new Set<(event: AgentEvent) => void>()
  const epochs = createEpochs(options.epochsBefore)
  let since = Date.now()
  let metrics: AgentMetrics | undefined
  const memory = createRemoteMemory()

  const emit = (event: AgentEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const exits = createExits({ host, emit, redact })
  const about = createAbout({ rpc: () => rpc, memory, emit })
  const term = (): number | undefined => about.term()
  const failure = (): Failure | undefined => (contact.isUp() ? undefined : (contact.failure() ?? NOT_YET))
  const rpc = createRpc({ origin, token, ca, timers, onHeard: () => contact.heard(), term })

  const onAnswer = async (start: string): Promise<void> => {
    await about.claim()
    const said = await about.learn()
    if (said.start !== start) throw new LswapError(RESTARTED)
    if (epochs.start() !== start) {
      epochs.begin(start)
      events.begin(said.event)
      orders.forget()
    }
    await orders.settle()
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
    log: hostLog(log, host),
    term,
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

  const onEvent = createTold({
    host,
    log: hostLog(log, host),
    emit,
    about,
    contact,
    epochs,
    exits,
    memory,
    onMetrics: (next) => {
      metrics = next
    },
  })
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
    term,
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
        extraHeaders: [AGENT_HEADERS.token, token, AGENT_HEADERS.term, String(term() ?? 0)],
      }),
    onHeard: () => contact.heard(),
    onBroken: () => contact.suspect(),
    reached: (event) => events.reached(event),
    onFenced: (why) => contact.fence(why),
    failure,
    redact,
    left: (upload) => {
      rpc
        .text({ method: 'POST', path: '/v1/leave', body: { upload }, deadlineMs: CALL_MS })
        // Its connection ends in any case: then that is how the agent learns of it
        .catch((error: unknown) => log.debug({ err: error, host }, 'could not say that a client has left'))
    },
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

  const look = createLook({ rpc, timers, contact, epochs, exits, failure, emit })

  contact.start()
  return {
    host,
    models: () => about.models(),
    failure,
    highestEpoch: () => epochs.highest(),
    retire,
    details: () => ({ url: origin, since, version: about.told()?.version, engines: about.told()?.engines ?? [] }),
    metrics: async () => metrics,
    memory: async () => (contact.isUp() ? memory.report() : undefined),
    tried: contact.tried,
    swap: async (order, onProgress = () => {}) => {
      const result = await orders.swap(order, onProgress)
      if (result.outcome === 'ready') exits.ready(order.model, result.epoch)
      return redactedResult(result, redact)
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
    processes: async () => (await look()).map((view) => redactedView(view, redact)),
    logs: async (model, tail) => {
      const path = `/v1/logs/${encodeURIComponent(model)}?tail=${tail}`
      return redact(await rpc.text({ method: 'GET', path, deadlineMs: CALL_MS }))
        .split('\n')
        .slice(0, -1)
    },
    followLogs: (model, { tail, onText }) =>
      followRemote({ rpc, timers }, model, { tail, onText: (text) => onText(redact(text)) }),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: leave,
    destroy: leave,
  }
}

const NOT_YET: Failure = { code: 'host_unreachable', message: 'its agent was not reached yet' }
const CLOSED: Failure = { code: 'shutting_down', message: 'lswap is shutting down' }
