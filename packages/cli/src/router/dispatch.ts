import { failureOf, type Config, type Failure, type HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import { admit } from './access/admit.ts'
import { ALL_METHODS, allowOrigin, answerPreflight, isAllowedOrigin, isPreflight, OWN_METHODS } from './access/cors.ts'
import type { Keyring } from './access/keyring.ts'
import { catalogFor, reachFailure } from './access/reach.ts'
import { ownHeaders } from './answer/own-headers.ts'
import type { OpenStreams } from './answer/streams.ts'
import { sendDocument, sendFailure, sendJson } from './answer/send.ts'
import type { Call } from './call.ts'
import { modelNotFound, namesOf } from './catalog.ts'
import type { Feed } from './feed/feed.ts'
import { guardFailure } from './guard.ts'
import { headFailure } from './head-failure.ts'
import { serveInference, type InferenceOptions } from './inference.ts'
import type { OwnLog } from './logs/own-log.ts'
import type { Metrics } from './metrics.ts'
import { serveEvents } from './own/events.ts'
import { serveCancel, type CancelOptions } from './own/cancel.ts'
import { serveReady, type ReadyOptions } from './own/ready.ts'
import { serveLogs } from './own/logs.ts'
import { serveLoad } from './own/load.ts'
import type { ListOptions } from './own/list-options.ts'
import { listModels, serveModel } from './own/model-list.ts'
import { servePin } from './own/pin.ts'
import { activateProfile, listProfiles } from './own/profiles.ts'
import { shownHosts } from './own/hosts.ts'
import { askMeasured } from './own/measured.ts'
import { askProcesses } from './own/processes.ts'
import { serveQueue } from './own/queue.ts'
import { serveReload } from './own/reload.ts'
import { listRequests, serveRequest } from './own/requests.ts'
import { listUpstreams, redirect } from './own/upstreams.ts'
import type { HostFacts } from './fleet/hosts.ts'
import { listRunning } from './own/running.ts'
import { serveUnload } from './own/unload.ts'
import type { ReloadOutcome } from './reload/outcome.ts'
import type { Peers } from './peers/peers.ts'
import { findRoute, type Route } from './route.ts'
import { findUpstream, UPSTREAM } from './upstream-route.ts'

export interface DispatchOptions extends InferenceOptions {
  readonly peers: Peers
  readonly access: Config['access']
  readonly pulse: ReadyOptions['pulse']
  readonly isClosing: ReadyOptions['isClosing']
  readonly keyring: Keyring
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly hosts: HostFacts
  readonly callOf: CancelOptions['callOf']
  readonly includeAliasesInList: boolean
  readonly limitsOfConfig: Config['limits']
  readonly metrics: Metrics
  readonly feed: Feed
  readonly streams: OpenStreams
  readonly reload: () => Promise<ReloadOutcome>
  readonly ownLog: OwnLog
  readonly version: string
  readonly commit: string
  readonly startedAt: number
}

/** Finds what a call asks for and hands it there; inference before this returns, without a promise on its way. */
export const dispatch = (options: DispatchOptions, call: Call, isLoopback: boolean): void => {
  const { headers } = call.req
  const broken = headFailure(call.req)
  if (broken !== undefined) {
    // What follows on the connection may not be what it seems
    call.res.shouldKeepAlive = false
    return failCall(call, broken)
  }
  const { cors, allowedHosts } = options.access
  const isBelowUpstream = call.path.startsWith(UPSTREAM) && call.path.length > UPSTREAM.length
  const match = isBelowUpstream
    ? findUpstream(call.method, call.path, options.catalog)
    : findRoute(call.method, call.path)
  const scope = match.type === 'route' ? match.scope : 'any'
  // Probes of a container runtime come with any name, and learn nothing
  const refused = scope === 'none' ? undefined : guardFailure(headers, { isLoopback, allowedHosts, cors })
  if (refused !== undefined) return failCall(call, refused)
  if (isAllowedOrigin(headers.origin, cors)) {
    allowOrigin(call.res, headers.origin)
    if (isPreflight(call.method, headers))
      return answerPreflight(call.res, headers, isBelowUpstream ? ALL_METHODS : OWN_METHODS)
  }
  const admission = admit(options.keyring, headers, scope)
  if (!admission.ok) return failCall(call, admission.failure)
  call.rights = admission.rights
  call.facts.caller = admission.rights.caller
  switch (match.type) {
    case 'route': {
      call.facts.route = match.route.type
      const unreached = reachFailure(match.route, call.rights, options)
      if (unreached !== undefined) return failCall(call, unreached)
      return serve(optionsFor(options, call), call, match.route)
    }
    case 'method-not-allowed':
      call.res.setHeader('Allow', match.allow)
      return failCall(call, {
        code: 'method_not_allowed',
        message: `${call.method} is not allowed on ${call.path}.`,
        hint: match.hint ?? `Use ${match.allow}.`,
      })
    case 'bad-path':
      return failCall(call, { code: 'invalid_request', message: 'The path is not valid percent-encoding.' })
    case 'no-model':
      return failCall(call, modelNotFound(match.name, namesOf(catalogFor(options.catalog, call.rights).models)))
    case 'not-found':
      return failCall(call, { code: 'not_found', message: `No route ${call.path.slice(0, 200)}.` })
  }
}

/** The catalog as the call's key sees it, and everything else as it is; a copy only where that differs. */
const optionsFor = (options: DispatchOptions, { rights }: Call): DispatchOptions =>
  rights.isRestricted ? { ...options, catalog: catalogFor(options.catalog, rights) } : options

/** Ends a call with an error, before anything was sent. */
export const failCall = (call: Call, failure: Failure): void => {
  call.facts.failure = failure
  if (failure.code === 'unauthorized') call.res.setHeader('WWW-Authenticate', challengeOf(call))
  sendFailure(call, failure, ownHeaders(call))
}

/**
 * A browser that shows an engine's pages, or the list of them, asks its user only when it hears of Basic; programs must not
 * ask anybody.
 */
const challengeOf = ({ path, req }: Call): string =>
  /^\/upstream(?:\/|$)/.test(path) || (path === '/' && /\btext\/html\b/.test(req.headers.accept ?? ''))
    ? 'Basic realm="lswap", charset="UTF-8"'
    : 'Bearer realm="lswap"'

const listOptions = (
  { catalog, loop, startedAt, includeAliasesInList, names, peers }: DispatchOptions,
  { rights }: Call,
): ListOptions => ({
  catalog,
  view: loop.view(),
  startedAt,
  withAliases: includeAliasesInList,
  names,
  peers,
  mayUse: (id) => rights.mayUse(id),
})

const serve = (options: DispatchOptions, call: Call, route: Route): void => {
  const { callOf, catalog, clock, commit, loop, metrics, version } = options
  const fail = failCall
  const now = (): number => clock.now()
  // A body that nobody wants would hide that its client has left
  if (route.type !== 'inference' && route.type !== 'upstream') call.req.resume()
  switch (route.type) {
    case 'inference':
    case 'upstream':
      return serveInference(options, call, route)
    case 'health':
      return sendDocument(call.res, { status: 200, contentType: 'text/plain; charset=utf-8', text: 'OK' })
    case 'ready':
      return serveReady(options, call)
    case 'models':
      return sendJson(call.res, 200, listModels(listOptions(options, call)))
    case 'model':
      return serveModel(listOptions(options, call), { call, name: route.model, fail })
    case 'profiles':
      return listProfiles(options.names, call)
    case 'activate-profile':
      return activateProfile(
        {
          profiles: options.names.profiles,
          clock,
          stallMs: options.limits.bodyStallMs,
          log: options.log,
          fail,
        },
        call,
      )
    case 'upstreams':
      return listUpstreams(call, catalog, loop.view())
    case 'redirect':
      return redirect(call, route.location)
    case 'running':
      return later(call, serveRunning(options, call))
    case 'hosts':
      return later(call, serveHosts(options, call))
    case 'metrics':
      return later(
        call,
        metrics.page().then((page) => sendDocument(call.res, { status: 200, ...page })),
      )
    case 'events':
      return later(call, serveEvents(options, call))
    case 'logs':
      return later(call, serveLogs({ ...options, fail }, call, route))
    case 'version':
      return sendJson(call.res, 200, { version, commit })
    case 'reload':
      return serveReload({ reload: options.reload, fail }, call)
    case 'queue':
      return serveQueue({ loop, fail }, call)
    case 'requests':
      return listRequests({ loop, now, fail }, call)
    case 'request':
      return serveRequest({ loop, now, fail }, call, route.id)
    case 'cancel':
      return serveCancel({ loop, callOf, fail }, call, route.id)
    case 'pin':
      return servePin({ catalog, loop, fail }, call, { name: route.model, pinned: route.pinned })
    case 'load':
      return serveLoad({ catalog, loop, fail }, call, route.model)
    case 'unload':
      return serveUnload(
        { catalog, loop, drainTimeoutMs: options.limitsOfConfig.drainTimeoutMs, fail },
        call,
        route.model,
      )
  }
}

const serveRunning = async (options: DispatchOptions, call: Call): Promise<void> => {
  const { catalog, loop, clock, agents, hosts, version } = options
  const [processes, measured] = await Promise.all([askProcesses({ agents, clock }), askMeasured({ agents, clock })])
  sendJson(
    call.res,
    200,
    listRunning({
      catalog,
      view: loop.view(),
      processes,
      hosts,
      measured,
      version,
      now: clock.now(),
      withRemoved: !call.rights.isRestricted,
    }),
  )
}

/** Who may not see all models sees which hosts there are, and no more. */
const serveHosts = async ({ loop, clock, agents, hosts, version }: DispatchOptions, call: Call): Promise<void> => {
  const measured = await askMeasured({ agents, clock })
  const shown = shownHosts({ view: loop.view(), facts: hosts, measured, now: clock.now(), version })
  const { isRestricted } = call.rights
  sendJson(call.res, 200, { hosts: isRestricted ? shown.map(({ host, up }) => ({ host, up })) : shown })
}

const later = (call: Call, work: Promise<void>): void => {
  work.catch((error: unknown) => (call.res.headersSent ? call.reset() : failCall(call, failureOf(error))))
}
