import { failureOf, LswapError, type DrainLimit, type ModelId } from '@lswap/core'
import {
  abortOrderSchema,
  AGENT_HEADERS,
  AGENT_PROTOCOL,
  claimOrderSchema,
  leaveOrderSchema,
} from '@lswap/core/protocol'
import type { AgentAbout, AgentMetrics } from '@lswap/core/protocol'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Agent } from '../agent.ts'
import { systemTimers, type ForwardTimers } from '../forward/timers.ts'
import type { Logger } from '../logs/logger.ts'
import type { TermFile } from '../state/term-file.ts'
import { accessFailure } from './access.ts'
import { createEventLog } from './event-log.ts'
import { createEventStreams } from './events-route.ts'
import { answerStop, answerSwap } from './commands.ts'
import { listenerFor, type TlsIdentity } from './listener.ts'
import { sendLog } from './logs-route.ts'
import { lookAt } from './look.ts'
import { createAgentOrders } from './orders.ts'
import type { NoticedLog } from './notices.ts'
import { createPhases } from './phases.ts'
import { createProxy, type Switching } from './proxy.ts'
import { refuse } from './proxy-answer.ts'
import { createRefusals } from './refusals.ts'
import { readCommand, sendFailure, sendJson } from './reply.ts'
import { findAgentRoute, type AgentRoute } from './route.ts'
import { createTerms, type Terms } from './terms.ts'
import { createUploads } from './uploads.ts'
import { createUsage, type Usage } from './usage.ts'

export interface AgentServerOptions {
  /** The one of this machine. */
  readonly agent: Agent
  /** What it calls itself. */
  readonly id: string
  /** The models that it can run now. */
  readonly models: () => readonly ModelId[]
  readonly token: string
  readonly version: string
  readonly termFile: TermFile
  readonly log: Logger
  /** What is measured on the machine; absent: processes alone are known. */
  readonly measure?: () => Promise<AgentMetrics>
  /** What engines on it say of their version. */
  readonly engines?: () => Promise<AgentAbout['engines']>
  /** Warnings and errors of its log. */
  readonly notices?: NoticedLog['listen']
  readonly timers?: ForwardTimers
}

export interface AgentServer {
  /** A listener of it; `isLoopback`: only programs of this machine reach it. */
  serverFor(listener: {
    readonly isLoopback: boolean
    /** Undefined: plain HTTP. */
    readonly tls: TlsIdentity | undefined
  }): Server
  readonly terms: Terms
  readonly usage: Usage
  /** Stops models on its own, and says so. */
  end(models: readonly ModelId[], drainMs: DrainLimit): Promise<void>
  /** What it has is another than before. `redefined`: these start from another definition from now on. */
  changed(redefined?: readonly ModelId[]): void
  /** Ends what has no end of its own. */
  close(): void
}

const PROXY = '/v1/proxy/'
/**
 * Half of how often engines are asked: a sample is told soon after it was read. At one a second it would be two seconds old, which
 * is stale for a picker, before the next one comes.
 */
const SAMPLE_MS = 625
/** While no engine runs there is only the machine to tell of. */
const REST_MS = 2_500

/** The RPC around the agent of this machine. */
export const createAgentServer = (options: AgentServerOptions): AgentServer => {
  const { agent, id, models, token, version, termFile, log, measure, timers = systemTimers } = options
  const start = randomBytes(9).toString('base64url')
  const terms = createTerms({ file: termFile, timers, log })
  const events = createEventLog()
  const streams = createEventStreams(events, start)
  const usage = createUsage(() => timers.now())
  const refusals = createRefusals({ log, timers })
  const orders = createAgentOrders({ agent, models, terms, timers })
  const phases = createPhases(() => agent.processes(), events)
  const uploads = createUploads()
  const proxy = createProxy({ agent, models, start, lastEvent: () => events.last(), usage, uploads })
  const leave = agent.subscribe((event) => {
    if (event.type === 'sizes-changed') events.add({ type: 'sized' })
    if (event.type !== 'process-exited') return
    const { placement, epoch, failure } = event
    events.add({ type: 'process-exited', model: placement.model, epoch, failure })
    phases.look()
  })
  const leaveNotices = options.notices?.((notice) => events.add({ type: 'noticed', ...notice }))
  let cancelSample: (() => void) | undefined
  let isClosed = false
  let isServing = false

  const look = () =>
    lookAt({
      processes: () => agent.processes(),
      measure,
      lastEvent: () => events.last(),
      isInUse: () => terms.isLive(),
    })

  const tell = async (): Promise<void> => {
    const { event: _event, isInUse: _isInUse, states, ...metrics } = await look()
    isServing = states.some(({ phase }) => phase !== 'stopped')
    streams.sample({ type: 'sampled', metrics })
  }

  /** Only while somebody reads. */
  const sampleSoon = (): void => {
    if (cancelSample !== undefined || isClosed) return
    cancelSample = timers.after(isServing ? SAMPLE_MS : REST_MS, () => {
      cancelSample = undefined
      if (streams.size === 0) return
      phases.look()
      tell()
        .catch((error: unknown) => log.debug({ err: error }, 'could not measure'))
        .finally(sampleSoon)
    })
  }

  const about = async (): Promise<AgentAbout> => ({
    id,
    version,
    protocol: AGENT_PROTOCOL,
    start,
    term: terms.highest(),
    event: events.last(),
    models: [...models()],
    engines: [...((await options.engines?.()) ?? [])],
    devices: (await measure?.())?.devices ?? [],
    sizes: [...((await agent.memory?.())?.sizes ?? [])],
  })

  const carryOut = async (route: AgentRoute, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const query = new URL(req.url ?? '/', 'http://agent').searchParams
    switch (route.type) {
      case 'about':
        return sendJson(res, await about())
      case 'metrics':
        return sendJson(res, await look())
      case 'events':
        streams.open(req, res, query)
        return sampleSoon()
      case 'logs':
        if (!models().includes(route.model)) {
          throw new LswapError({ code: 'model_not_found', message: `this host has no model ${route.model}` })
        }
        return sendLog(agent, { model: route.model, query, res })
      case 'swap':
        return answerSwap(orders, { phases, onHand: changed }, { req, res })
      case 'stop':
        return answerStop(orders, { phases, onHand: changed }, { req, res })
      case 'abort':
        await orders.abort(await readCommand(req, abortOrderSchema))
        return sendJson(res, {})
      case 'claim': {
        const { claimant } = await readCommand(req, claimOrderSchema)
        const term = await orders.claim(claimant)
        log.info({ term }, 'a router takes this host over')
        return sendJson(res, { term })
      }
      case 'leave':
        uploads.leave((await readCommand(req, leaveOrderSchema)).upload)
        return sendJson(res, {})
      case 'proxy':
        return proxy(req, res)
    }
  }

  /** Why a request of an earlier router is not taken on; what only reads is. */
  const termFailure = (route: AgentRoute, given: string | string[] | undefined) => {
    if (typeof given !== 'string' || !/^\d{1,15}$/.test(given)) return undefined
    const fenced = terms.heard(Number(given))
    return route.type === 'proxy' ? fenced : undefined
  }

  const answer = (req: IncomingMessage, res: ServerResponse, isLoopback: boolean, switching?: Switching): void => {
    try {
      // Where something is set before, a list of fields loses what is there twice: a forwarded answer gets nothing of ours
      if (!(req.url ?? '').startsWith(PROXY)) {
        res.setHeader(AGENT_HEADERS.start, start)
        res.setHeader(AGENT_HEADERS.protocol, String(AGENT_PROTOCOL))
        res.setHeader(AGENT_HEADERS.term, String(terms.highest()))
      }
      const refused = accessFailure(req, { token, isLoopback })
      if (refused !== undefined) {
        refusals.note(req, refused)
        return sendFailure(res, refused)
      }
      const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
      const route = findAgentRoute(req.method ?? 'GET', path)
      const fenced = termFailure(route, req.headers[AGENT_HEADERS.term])
      if (fenced !== undefined) return refuse(res, fenced, events.last())
      // A sign of life costs nothing
      if (req.method === 'HEAD' && route.type === 'about') return void res.end()
      if (switching !== undefined) {
        if (route.type === 'proxy') return proxy(req, res, switching)
        throw new LswapError({ code: 'invalid_request', message: 'Only a forwarded request can switch protocols.' })
      }
      carryOut(route, req, res).catch((error: unknown) => failed(res, error))
    } catch (error) {
      failed(res, error)
    }
    return undefined
  }

  const failed = (res: ServerResponse, error: unknown): void => {
    if (!(error instanceof LswapError)) log.error({ err: error }, 'bug: a call could not be answered')
    sendFailure(res, failureOf(error))
  }

  const changed = (redefined: readonly ModelId[] = []): void => {
    phases.look()
    events.add({ type: 'changed', ...(redefined.length === 0 ? {} : { models: [...redefined] }) })
  }

  return {
    terms,
    usage,
    end: async (gone, drainMs) => {
      const ended = orders.end(gone, drainMs)
      // At once, so that no router sends anything to them, and when their memory is free
      changed()
      await ended
      changed()
    },
    changed,
    close: () => {
      isClosed = true
      cancelSample?.()
      leave()
      leaveNotices?.()
      streams.close()
    },
    serverFor: ({ isLoopback, tls }) =>
      listenerFor(tls, (req, res, switching) => answer(req, res, isLoopback, switching)),
  }
}
