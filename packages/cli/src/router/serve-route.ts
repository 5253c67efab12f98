import { failureOf } from '@lswap/core'
import { sendDocument, sendJson } from './answer/send.ts'
import type { Call } from './call.ts'
import type { DispatchOptions } from './dispatch-options.ts'
import { failCall } from './fail-call.ts'
import { askMeasured } from './fleet/measured.ts'
import { askProcesses } from './fleet/processes.ts'
import { serveInference } from './inference.ts'
import type { Metrics } from './metrics.ts'
import { serveCancel } from './own/cancel.ts'
import { serveEvents } from './own/events.ts'
import { shownHosts } from './own/hosts.ts'
import { serveLoad } from './own/load.ts'
import { serveLogs } from './own/logs.ts'
import type { ListOptions } from './own/list-options.ts'
import { listModels, serveModel } from './own/model-list.ts'
import { servePin } from './own/pin.ts'
import { activateProfile, listProfiles } from './own/profiles.ts'
import { serveQueue } from './own/queue.ts'
import { serveReady } from './own/ready.ts'
import { serveReload } from './own/reload.ts'
import { listRequests, serveRequest } from './own/requests.ts'
import { listRunning } from './own/running.ts'
import { serveUnload } from './own/unload.ts'
import { listUpstreams, redirect } from './own/upstreams.ts'
import type { Route } from './route.ts'

/** Hands a call to whom its route belongs; inference before this returns, without a promise or a function of its own on its way. */
export const serveRoute = (options: DispatchOptions, call: Call, route: Route): void => {
  const { callOf, catalog, clock, commit, loop, metrics, version } = options
  const fail = failCall
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
      return later(call, serveMetrics(metrics, call))
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
      return listRequests({ loop, clock, fail }, call)
    case 'request':
      return serveRequest({ loop, clock, fail }, call, route.id)
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
  mayUse: rights.mayUse,
})

const serveMetrics = async (metrics: Metrics, call: Call): Promise<void> =>
  sendDocument(call.res, { status: 200, ...(await metrics.page()) })

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
