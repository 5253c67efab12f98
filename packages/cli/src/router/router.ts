import type { Config, ConfigReading, HostId, Scheduler } from '@lswap/core'
import { createLogRing, type Agent } from '@lswap/agent'
import type { Activity } from '../heap/idle-collection.ts'
import { createStreams } from './answer/streams.ts'
import type { BoundAddress } from './bind.ts'
import { createBodyMemory } from './body/memory.ts'
import type { Clock } from './clock.ts'
import { failCall } from './fail-call.ts'
import { createLookout } from './early/lookout.ts'
import { logEnd } from './end-line.ts'
import type { RouterLimits } from './limits.ts'
import type { ListenAddress } from './listen-address.ts'
import { createListeners } from './listeners.ts'
import type { Notices } from './feed/notices.ts'
import { createRouterFeed } from './feed/router-feed.ts'
import { createLeaving } from './fleet/leaving.ts'
import { PLAIN_HOSTS, type HostFacts } from './fleet/hosts.ts'
import type { OwnLog } from './logs/own-log.ts'
import { createParting } from './parting.ts'
import { createRunLoop } from './loop.ts'
import { orderLimits } from './loop/order-limits.ts'
import { createMetrics } from './metrics.ts'
import { createOpenCalls } from './open-calls.ts'
import { askMeasured } from './fleet/measured.ts'
import { askProcesses } from './fleet/processes.ts'
import { preload } from './preload.ts'
import { createInForce } from './reload/in-force.ts'
import type { ReloadCause, ReloadOutcome } from './reload/outcome.ts'
import { createReloader } from './reload/reloader.ts'
import { createPulse } from './pulse.ts'
import { createHttpServer } from './server.ts'
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
  readonly version: string
  /** What it was built from. */
  readonly commit: string
  /** Allows addresses that other machines reach although there are no keys. */
  readonly insecure?: boolean
  /** Absent: plain HTTP. */
  readonly tls?: TlsIdentity | undefined
  /** Its log, and where warnings are kept for who looks on. */
  readonly notices: Notices
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

/** Makes the parts and tells them of each other; what each of them owns stands with it. */
export const createRouter = (options: RouterOptions): Router => {
  const { agents, scheduler, clock, commit, notices, version, hosts = PLAIN_HOSTS } = options
  const { log } = notices
  const startedAt = clock.now()
  const state: Closing['state'] = { isClosing: false }
  const isClosing = (): boolean => state.isClosing
  const pulse = createPulse(clock)
  const { feed, observer, countRequest } = createRouterFeed({
    agents,
    clock,
    log,
    notices,
    loop: () => loop,
    models: () => inForce.context().catalog.models,
    hosts,
    router: () => ({ version, startedAt: Math.round(startedAt), isClosing: state.isClosing }),
  })
  const loop = createRunLoop({
    scheduler,
    agents,
    orderLimits: orderLimits(() => inForce.context().catalog.models),
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
    goesByMemory: () => inForce.config().swapper === 'memory',
    keptRequests: () => inForce.config().keptRequests,
    onModels: () => inForce.placeAgain(),
  })
  const leaving = createLeaving({
    clock,
    view: () => loop.view(),
    release: (host) => {
      options.onHostReleased?.(host)
      loop.agentsChanged()
    },
  })
  const memory = createBodyMemory(() => inForce.context().limits.waitingBodyMemory)
  const disk = createBodyMemory(() => inForce.context().limits.waitingBodyDisk)
  const parting = createParting({ clock, limits: () => inForce.context().limits })
  const calls = createOpenCalls({
    clock,
    log,
    nextId: () => loop.nextRequestId(),
    parting,
    isClosing,
    context: () => inForce.context(),
    onEnd: (call, ended) => {
      metrics.count({ facts: call.facts, ...ended })
      if (call.facts.route === 'inference') countRequest(call.facts)
      logEnd(log, call, { ...ended, isWanted: inForce.config().logRequests })
      // Without this a connection that fell idle during the shutdown would stay open
      if (state.isClosing) listeners.closeIdle()
    },
  })
  const metrics = createMetrics({
    loop,
    processes: () => askProcesses({ agents, clock }),
    measured: () => askMeasured({ agents, clock }),
    now: () => clock.now(),
    held: { memory, disk, openRequests: () => calls.size },
  })
  const streams = createStreams({ fail: failCall })
  let started: Promise<void> | undefined
  const start = (): Promise<void> => {
    if (started === undefined) inForce.warnOfUnplaced()
    started ??= loop.start()
    return started
  }
  const listeners = createListeners({
    log,
    isInsecure: options.insecure === true,
    isEncrypted: options.tls !== undefined,
    hasKeys: () => !inForce.context().keyring.isEmpty,
    isClosing,
    ready: start,
    serverFor: (listener) =>
      createHttpServer({ limits, parting, tls: options.tls, accept: (accepted) => calls.accept(accepted, listener) }),
  })
  const inForce = createInForce({
    config: options.config,
    agents,
    hosts,
    lasting: {
      agents,
      hosts,
      callOf: (id) => calls.get(id),
      clock,
      log,
      lookout: createLookout(loop, clock),
      pulse,
      isClosing,
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
      commit,
    },
    limits: options.limits ?? {},
    log,
    loop,
    listeners,
    leaving,
    isClosing,
  })
  // Of these no configuration changes what the listeners and the shutdown need
  const { limits } = inForce.context()
  const reloader = createReloader({
    config: options.config,
    read: options.readConfig,
    apply: (next) => inForce.takeOver(next, () => options.onConfig?.(next)),
    log,
    onOutcome: ({ ok }) => metrics.countReload(ok),
  })
  const closing: Closing = {
    agents,
    closePeers: () => inForce.context().peers.close(SHUTTING_DOWN),
    calls,
    clock,
    leaving,
    limits,
    log,
    longestUnloadMs: () => inForce.longestUnloadMs(),
    loop,
    pulse,
    servers: listeners.servers,
    state,
    feed,
    streams,
  }
  let preloading: Promise<void> | undefined

  return {
    listen: async (address) => {
      const addresses = await listeners.listen(address)
      if (!state.isClosing) pulse.start()
      preloading ??= preload(options.config.preload, { loop, log })
      return addresses
    },
    reload: (cause) => reloader.reload(cause),
    activity: () => calls.activity(),
    close: () => closeRouter(closing),
    destroy: () => destroyRouter(closing),
  }
}

const NO_LOG: OwnLog = { ring: createLogRing(1), shape: async () => (line) => line }
