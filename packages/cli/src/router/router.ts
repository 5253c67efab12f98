import {
  LOCAL_HOST,
  failureOf,
  LswapError,
  schedulerOptions,
  type Config,
  type ConfigReading,
  type HostId,
  type RequestId,
  type Scheduler,
} from '@lswap/core'
import { createLogRing, type Agent } from '@lswap/agent'
import type { Activity } from '../heap/idle-collection.ts'
import { createStreams } from './answer/streams.ts'
import { bind, type BoundAddress, type BoundServer } from './bind.ts'
import { createBodyMemory } from './body/memory.ts'
import type { Call } from './call.ts'
import type { Clock } from './clock.ts'
import { dispatch, failCall, type DispatchOptions } from './dispatch.ts'
import { createLookout } from './early/lookout.ts'
import { logEnd } from './end-line.ts'
import { refuseExposure } from './exposure.ts'
import type { RouterLimits } from './limits.ts'
import { isLoopback, type ListenAddress } from './listen-address.ts'
import { openCall } from './live-call.ts'
import { createNotices, type Notices } from './feed/notices.ts'
import { createRouterFeed } from './feed/router-feed.ts'
import { createLeaving } from './fleet/leaving.ts'
import { PLAIN_HOSTS, placed, unplaced, type HostFacts } from './fleet/hosts.ts'
import type { OwnLog } from './logs/own-log.ts'
import { createRedact } from './logs/redact.ts'
import { secretsOf } from './logs/secrets.ts'
import { createRunLoop } from './loop.ts'
import { orderLimits } from './loop/order-limits.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { askMeasured } from './own/measured.ts'
import { askProcesses } from './own/processes.ts'
import { preload } from './preload.ts'
import type { ReloadCause, ReloadOutcome } from './reload/outcome.ts'
import { createReloader } from './reload/reloader.ts'
import { createPulse } from './pulse.ts'
import { ForgettingMap } from './forgetting-map.ts'
import { createHttpServer } from './server.ts'
import { settingsOf } from './settings.ts'
import { closeRouter, destroyRouter, SHUTTING_DOWN, type Closing } from './shutdown.ts'
import type { TlsIdentity } from './tls.ts'

export interface RouterOptions {
  readonly config: Config
  /** Live: `onConfig` may change it. */
  readonly agents: ReadonlyMap<HostId, Agent>
  /** What is known of them; absent: they have what the configuration says. */
  readonly hosts?: HostFacts
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
  /** What it logged, for who asks over HTTP; absent: nothing. */
  readonly ownLog?: OwnLog
  readonly limits?: Partial<RouterLimits>
  /** Reads the configuration again. What it throws is why that is not possible. */
  readonly readConfig: () => Promise<ConfigReading>
  /** Told of a configuration that is taken over, right before anything is decided by it. Does not throw. */
  readonly onConfig?: (config: Config) => void
  /** A host that left the configuration has come to its end. */
  readonly onHostReleased?: (host: HostId) => void
}

/** The HTTP face with everything behind it. */
export interface Router {
  /**
   * Listens, once the hosts were asked what runs there. Throws `address_in_use`, naming the holder, `unreachable` for an
   * address that can not be had, and `invalid_config` for one that needs `insecure`.
   */
  listen(address: ListenAddress): Promise<readonly BoundAddress[]>
  /** Reads the configuration again and takes it over; one with mistakes changes nothing. Never rejects. */
  reload(cause: ReloadCause): Promise<ReloadOutcome>
  /** What goes on to engines. Whoever only looks on (dashboards, probes, scrapes) does so all the time. */
  activity(): Activity
  /** Takes nothing new, lets running requests end for a while, then stops everything, agents included. Idempotent. */
  close(): Promise<void>
  /** Cuts everything now, agents included. Idempotent. */
  destroy(): Promise<void>
}

export const createRouter = (options: RouterOptions): Router => {
  const { agents, scheduler, clock, version, hosts = PLAIN_HOSTS } = options
  const notices = options.notices ?? createNotices(options.log, clock)
  const { log } = notices
  const startedAt = clock.now()
  const state = { isClosing: false }
  const pulse = createPulse(clock)
  const { feed, observer, countRequest } = createRouterFeed({
    agents,
    clock,
    log,
    notices,
    loop: () => loop,
    models: () => context.catalog.models,
    hosts,
    router: () => ({ version, startedAt: Math.round(startedAt), isClosing: state.isClosing }),
  })
  const loop = createRunLoop({
    scheduler,
    agents,
    orderLimits: orderLimits(() => context.catalog.models),
    clock,
    log,
    observer: {
      ...observer,
      changed: () => {
        observer.changed?.()
        leaving.look()
      },
      swapEnded: (swap, result) => {
        observer.swapEnded?.(swap, result)
        metrics.countSwap(swap, result)
      },
    },
    goesByMemory: () => config.swapper === 'memory',
    onModels: () => {
      if (!state.isClosing) takeOver(config, () => {})
    },
  })
  const memory = createBodyMemory(() => context.limits.waitingBodyMemory)
  const disk = createBodyMemory(() => context.limits.waitingBodyDisk)
  const metrics = createMetrics({
    loop,
    processes: () => askProcesses(agents, clock),
    measured: () => askMeasured(agents, clock),
    now: () => clock.now(),
    held: { memory, disk, openRequests: () => calls.size },
  })
  const servers: BoundServer[] = []
  const addresses: ListenAddress[] = []
  const calls = new ForgettingMap<RequestId, Call>()
  const streams = createStreams({ fail: failCall })
  let served = 0
  let started: Promise<void> | undefined
  let preloading: Promise<void> | undefined

  const settingsOptions = { limits: options.limits ?? {}, view: () => loop.view() }
  const lasting = {
    agents,
    hosts,
    callOf: (id: RequestId) => calls.get(id),
    clock,
    log,
    lookout: createLookout(loop, clock),
    pulse,
    isClosing: () => state.isClosing,
    loop,
    memory,
    disk,
    metrics,
    feed,
    streams,
    ownLog: options.ownLog ?? NO_LOG,
    reload: () => reloader.reload('POST /api/reload'),
    startedAt,
    version,
  }
  // Lines that were written under an earlier configuration may hold its keys
  const secrets = new Set<string>()
  const contextOf = (config: Config): DispatchOptions => {
    for (const secret of secretsOf(config)) secrets.add(secret)
    return { ...lasting, ...settingsOf(config, settingsOptions), redact: createRedact([...secrets]) }
  }
  /** Everything that requests know; replaced whole, so that none ever sees half of another configuration. */
  let context = contextOf(placed(options.config, hosts))
  /** As it was read, whichever hosts there are. */
  let config = options.config
  // Of these no configuration changes what the listeners and the shutdown need
  const { limits } = context
  // Models that are gone from the configuration may still be stopping
  let longestUnloadMs = longestOf(options.config)

  /** All of it in one go: no event and no request comes in between. */
  const takeOver = (next: Config, tell: () => void): void => {
    if (state.isClosing) throw new LswapError(SHUTTING_DOWN)
    const here = placed(next, hosts)
    const settings = contextOf(here)
    refuseExposure(addresses, { hasKeys: !settings.keyring.isEmpty, insecure: options.insecure === true })
    // What was chosen by hand stays while there is such a profile: an edit elsewhere must not change what names mean
    settings.names.profiles.activate(context.names.profiles.active())
    const scheduling = schedulerOptions(here)
    tell()
    context = settings
    config = next
    longestUnloadMs = Math.max(longestUnloadMs, longestOf(next))
    loop.reconfigure(scheduling)
    loop.agentsChanged()
    leaving.set(hostsThatLeave(agents, next), endingMs(next))
    leaving.look()
    warnOfUnplaced(log, here)
  }
  const apply = (next: Config): void => takeOver(next, () => options.onConfig?.(next))
  const leaving = createLeaving({
    clock,
    view: () => loop.view(),
    release: (host) => {
      options.onHostReleased?.(host)
      loop.agentsChanged()
    },
  })
  const reloader = createReloader({
    config: options.config,
    read: options.readConfig,
    apply,
    log,
    onOutcome: ({ ok }) => metrics.countReload(ok),
  })
  const closing: Closing = {
    agents,
    closePeers: () => context.peers.close(SHUTTING_DOWN),
    calls,
    clock,
    limits,
    log,
    longestUnloadMs: () => longestUnloadMs,
    loop,
    pulse,
    servers,
    state,
    feed,
    streams,
  }

  const onEnd = (call: Call, status: number): void => {
    calls.delete(call.id)
    if (isForEngine(call)) served += 1
    const durationMs = clock.now() - call.startedAt
    metrics.count({ facts: call.facts, status, durationMs })
    if (call.facts.route === 'inference') countRequest(call.facts)
    logEnd(log, call, { status, durationMs })
    // Without this a connection that fell idle during the shutdown would stay open
    if (state.isClosing) for (const { server } of servers) setImmediate(() => server.closeIdleConnections())
  }

  const serverFor = (listener: { readonly isLoopback: boolean }) =>
    createHttpServer({
      limits,
      tls: options.tls,
      accept: ({ req, res, awaitsContinue, upgraded }) => {
        const id = loop.nextRequestId()
        const isLast = state.isClosing
        const { discardMs } = limits
        const live = openCall({ id, req, res, awaitsContinue, clock, discardMs, isLast, upgraded, onEnd })
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
      const hasKeys = !context.keyring.isEmpty
      refuseExposure([address], { hasKeys, insecure: options.insecure === true })
      addresses.push(address)
      if (!isLoopback(address.host) && !hasKeys) {
        log.warn({ host: address.host }, 'insecure: whoever reaches this address may use everything')
      } else if (!isLoopback(address.host) && options.tls === undefined) {
        log.warn({ host: address.host }, 'keys cross the network as they are: --tls-cert and --tls-key would hide them')
      }
      if (started === undefined) warnOfUnplaced(log, placed(config, hosts))
      started ??= loop.start()
      await started
      const bound = await bind(address, serverFor)
      for (const { server } of bound) server.on('error', (error) => log.error({ err: error }, 'listener failed'))
      servers.push(...bound)
      if (!state.isClosing) pulse.start()
      if (state.isClosing) for (const { server } of bound) server.close()
      preloading ??= preload(options.config.preload, { loop, log })
      return bound.map((one) => one.address)
    },
    reload: (cause) => reloader.reload(cause),
    activity: () => ({ isBusy: calls.values().some(isForEngine), count: served }),
    close: () => closeRouter(closing),
    destroy: () => destroyRouter(closing),
  }
}

const isForEngine = ({ facts }: Call): boolean => facts.route === 'inference' || facts.route === 'upstream'

/** Timers can not be longer. */
const LONGEST_MS = 2 ** 31 - 1

/** How long what runs may take to end: its drain, then its stop. */
const endingMs = (config: Config): number => {
  const { drainTimeoutMs } = config.limits
  return drainTimeoutMs === 'never' ? LONGEST_MS : Math.min(LONGEST_MS, drainTimeoutMs + longestOf(config))
}

/** This machine comes and goes with the process. */
const hostsThatLeave = (agents: ReadonlyMap<HostId, Agent>, next: Config): readonly HostId[] => {
  const stay = new Set<HostId>([LOCAL_HOST, ...next.agents.map(({ id }) => id)])
  return [...agents.keys()].filter((host) => !stay.has(host))
}

const NO_LOG: OwnLog = { ring: createLogRing(1), shape: async () => (line) => line }

const warnOfUnplaced = (log: Log, config: Config): void => {
  const models = unplaced(config)
  if (models.length > 0) log.warn({ models }, 'no agent has these models: they can not be loaded')
}

const longestOf = ({ models }: Config): number => Math.max(0, ...models.map(({ unloadTimeoutMs }) => unloadTimeoutMs))
