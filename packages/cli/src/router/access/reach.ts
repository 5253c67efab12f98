import type { Failure } from '@lswap/core'
import type { Catalog } from '../catalog.ts'
import type { RunLoop } from '../loop.ts'
import type { Route } from '../route.ts'
import { modelForbidden, type Rights } from './rights.ts'

/** The catalog as a key sees it: lists hold only its models; other names are found, so that a refusal can say what it refuses. */
export const catalogFor = (catalog: Catalog, rights: Rights): Catalog =>
  rights.isRestricted
    ? {
        ...catalog,
        // Made for each request, and most never look at it
        get models() {
          return catalog.models.filter(({ id }) => rights.mayUse(id))
        },
      }
    : catalog

export interface ReachOptions {
  readonly catalog: Catalog
  readonly loop: { readonly records: Pick<RunLoop['records'], 'find'> }
}

/** Why a key may not do something to the model that a path names, or whose request it names. Bodies are checked where they are read. */
export const reachFailure = (route: Route, rights: Rights, { catalog, loop }: ReachOptions): Failure | undefined => {
  if (!rights.isRestricted) return undefined
  switch (route.type) {
    case 'load':
    case 'pin':
      return named(route.model, rights, catalog)
    case 'unload':
      return route.model === undefined ? ALL_MODELS : named(route.model, rights, catalog)
    case 'reload':
      return WHOLE_CONFIG
    case 'request':
    case 'cancel': {
      const model = loop.records.find(route.id)?.asked.model
      return model === undefined || rights.mayUse(model) ? undefined : modelForbidden(rights, model)
    }
    default:
      return undefined
  }
}

const ALL_MODELS: Failure = {
  code: 'forbidden',
  message: 'This key reaches some models only and can not unload all.',
  hint: 'Unload one with POST /api/models/unload/{model}.',
}

const WHOLE_CONFIG: Failure = {
  code: 'forbidden',
  message: 'This key reaches some models only and can not reload the configuration of all.',
  hint: 'Use a key without models under apiKeys, or send SIGHUP to lswap.',
}

const named = (name: string, rights: Rights, catalog: Catalog): Failure | undefined => {
  const model = catalog.find(name)
  return model === undefined || rights.mayUse(model.id) ? undefined : modelForbidden(rights, name)
}
