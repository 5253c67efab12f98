import {
  ANONYMOUS,
  failureOf,
  ignorePathPattern,
  LswapError,
  type Config,
  type Failure,
  type HostId,
  type RequestId,
  type Scheduler,
} from '@lswap/core'
import type { Agent } from '@lswap/agent'
import { createKeyring } from './access/keyring.ts'
import { createStreams } from './answer/streams.ts'
import { bind, type BoundAddress, type BoundServer } from './bind.ts'
import { createBodyMemory } from './body/memory.ts'
import type { Call } from './call.ts'
import { createCatalog } from './catalog.ts'
import type { Clock } from './clock.ts'
import { dispatch, failCall, type DispatchOptions } from './dispatch.ts'
import { createLookout } from './early/lookout.ts'
import { DEFAULT_ROUTER_LIMITS, type RouterLimits } from './limits.ts'
import { isLoopback, type ListenAddress } from './listen-address.ts'
import { openCall } from './live-call.ts'
import { createNotices, type Notices } from './feed/notices.ts'
import { createRouterFeed } from './feed/router-feed.ts'
import { createRunLoop } from './loop.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { preload } from './preload.ts'
import { createHttpServer } from './server.ts'
import { closeRouter, destroyRouter, type Closing } from './shutdown.ts'
import type { TlsIdentity } from './tls.ts'

export interface RouterOptions {
  readonly config: Config
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly scheduler: Scheduler
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  /** Allows addresses that other machines reach although there are no keys. */
  readonly insecure?: boolean
  /** Absent: plain HTTP. */
  readonly tls?: TlsIdentity | undefined
  /** Where warnings are kept for who looks on; absent: those of the router alone are. */
  readonly notices?: Notices
  readonly limits?: Partial<RouterLimits>
}

/** The HTTP face with everything behind it. */
export interface Router {
  /**
   * Listens, once the hosts were asked what runs there. Throws `address_in_use`, naming the holder, `unreachable` for an
   * address that can not be had, and `invalid_config` for one that needs `insecure`.
   */
  listen(address: ListenAddress): Promise<readonly BoundAddress[]>
  /** Takes nothing new, lets running requests end for a while, then stops everything, agents included. Idempotent. */
  close(): Promise<void>
  /** Cuts everything now, agents included. Idempotent. */
  destroy(): Promise<void>
}

export const createRouter = (options: RouterOptions): Router => {
  const { config, agents, scheduler, clock, version } = options
  const notices = options.notices ?? createNotices(options.log, clock)
  const { log } = notices
  const limits: RouterLimits = { ...DEFAULT_ROUTER_LIMITS, ...config.bodies, ...options.limits }
  const startedAt = clock.now()
  const state = { isClosing: false }
  const { feed, observer, countRequest } = createRouterFeed({
    agents,
    clock,
    log,
    notices,
    loop: () => loop,
    models: () => config.models,
    router: () => ({ version, startedAt: Math.round(startedAt), isClosing: state.isClosing }),
  })
  const loop = createRunLoop({
    scheduler,
    agents,
    clock,
    log,
    observer: {
      ...observer,
      swapEnded: (swap, result) => {
        observer.swapEnded?.(swap, result)
        metrics.countSwap(swap, result)
      },
    },
  })
  const memory = createBodyMemory(limits.waitingBodyMemory)
  const disk = createBodyMemory(limits.waitingBodyDisk)
  const metrics = createMetrics(loop, { memory, disk, openRequests: () => calls.size })
  const keyring = createKeyring(config.access.keys)
  const servers: BoundServer[] = []
  const calls = new Map<RequestId, Call>()
  const streams = createStreams({ fail: failCall })
  let started: Promise<void> | undefined
  let preloading: Promise<void> | undefined

  const context: DispatchOptions = {
    access: config.access,
    agents,
    callOf: (id) => calls.get(id),
    catalog: createCatalog(config.models),
    clock,
    includeAliasesInList: config.includeAliasesInList,
    keyring,
    limits,
    ignorePaths: config.ignorePaths.flatMap((text) => ignorePathPattern(text) ?? []),
    limitsOfConfig: config.limits,
    log,
    lookout: createLookout(loop, clock),
    loop,
    memory,
    disk,
    metrics,
    feed,
    streams,
    startedAt,
    version,
  }
  const closing: Closing = {
    agents,
    calls,
    clock,
    limits,
    log,
    loop,
    models: config.models,
    servers,
    state,
    feed,
    streams,
  }

  const onEnd = (call: Call, status: number): void => {
    calls.delete(call.id)
    const durationMs = clock.now() - call.startedAt
    metrics.count({ facts: call.facts, status, durationMs })
    if (call.facts.route === 'inference') countRequest()
    logEnd(log, call, { status, durationMs })
    // Without this a connection that fell idle during the shutdown would stay open
    if (state.isClosing) for (const { server } of servers) setImmediate(() => server.closeIdleConnections())
  }

  const serverFor = (listener: { readonly isLoopback: boolean }) =>
    createHttpServer({
      limits,
      tls: options.tls,
      accept: (req, res, awaitsContinue) => {
        const id = loop.nextRequestId()
        const isLast = state.isClosing
        const { discardMs } = limits
        const live = openCall({ id, req, res, awaitsContinue, clock, discardMs, isLast, onEnd })
        calls.set(id, live.call)
        try {
          dispatch(context, live.call, listener.isLoopback)
        } catch (error) {
          log.error({ err: error, request: id }, 'bug: a request could not be taken on')
          if (res.headersSent) live.call.reset()
          else failCall(live.call, failureOf(error))
        }
        return live
      },
    })

  return {
    listen: async (address) => {
      if (!isLoopback(address.host) && keyring.isEmpty) {
        if (options.insecure !== true) throw openNetwork(address)
        log.warn({ host: address.host }, 'insecure: whoever reaches this address may use everything')
      } else if (!isLoopback(address.host) && options.tls === undefined) {
        log.warn({ host: address.host }, 'keys cross the network as they are: --tls-cert and --tls-key would hide them')
      }
      started ??= loop.start()
      await started
      const bound = await bind(address, serverFor)
      for (const { server } of bound) server.on('error', (error) => log.error({ err: error }, 'listener failed'))
      servers.push(...bound)
      if (state.isClosing) for (const { server } of bound) server.close()
      preloading ??= preload(config.preload, { loop, log })
      return bound.map((one) => one.address)
    },
    close: () => closeRouter(closing),
    destroy: () => destroyRouter(closing),
  }
}

const openNetwork = ({ host }: ListenAddress): LswapError =>
  new LswapError({
    code: 'invalid_config',
    message: `${host} can be reached from other machines, and no API key protects this router.`,
    hint: 'Configure apiKeys, listen on 127.0.0.1, or give --insecure if everybody who reaches it may use it.',
  })

interface Ending {
  readonly status: number
  readonly durationMs: number
}

/** Routes that change something or serve. */
const LOUD: ReadonlySet<string> = new Set(['inference', 'load', 'unload', 'pin', 'cancel'])

/** One line for each request; those that only look are for who debugs. */
const logEnd = (log: Log, { id, method, facts }: Call, { status, durationMs }: Ending): void => {
  const { route, caller, model, host, waitMs, attempts, failure } = facts
  const fields = {
    id,
    method,
    route,
    status,
    ...(caller === undefined || caller === ANONYMOUS ? {} : { key: caller }),
    ...(model === undefined ? {} : { model }),
    ...(host === undefined ? {} : { host }),
    ...(waitMs === undefined ? {} : { waitMs: Math.round(waitMs) }),
    durationMs: Math.round(durationMs),
    ...(attempts === undefined || attempts < 2 ? {} : { attempts }),
    ...codeOf(failure),
  }
  const isQuiet = !LOUD.has(route) && status < 400
  if (isQuiet) log.debug(fields, 'request ended')
  else log.info(fields, 'request ended')
}

const codeOf = (failure: Failure | undefined): object =>
  failure === undefined ? {} : { code: failure.code, reason: failure.message }
