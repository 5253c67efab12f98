import { admit } from './access/admit.ts'
import { ALL_METHODS, allowOrigin, answerPreflight, isAllowedOrigin, isPreflight, OWN_METHODS } from './access/cors.ts'
import { catalogFor, reachFailure } from './access/reach.ts'
import type { Call } from './call.ts'
import { modelNotFound, namesOf } from './catalog.ts'
import type { DispatchOptions } from './dispatch-options.ts'
import { failCall } from './fail-call.ts'
import { guardFailure } from './guard.ts'
import { headFailure } from './head-failure.ts'
import { findRoute } from './route.ts'
import { serveRoute } from './serve-route.ts'
import { findUpstream, UPSTREAM } from './upstream-route.ts'

/** Finds what a call asks for, and whether it may; then it is served. */
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
      return serveRoute(optionsFor(options, call), call, match.route)
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
