import type { Failure } from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import { modelNotFound } from '../catalog.ts'
import type { ListOptions } from './list-options.ts'
import { ownModels, type ListedModel } from './models.ts'
import { otherNames } from './other-names.ts'

export interface ModelList {
  readonly object: 'list'
  readonly data: readonly ListedModel[]
}

/** Everything that can be asked for, the models of the configuration first. */
export const listModels = (options: ListOptions): ModelList => {
  const own = ownModels(options)
  return { object: 'list', data: [...own, ...otherNames(options, own)] }
}

/**
 * Answers with the row of one name, an alias too, under the name that was asked for: programs compare it. Models that lists
 * leave out have one, since they answer requests.
 */
export const serveModel = (
  options: ListOptions,
  { call, name, fail }: { call: Call; name: string; fail: (call: Call, failure: Failure) => void },
): void => {
  const { catalog } = options
  const models = catalog.models.map((model) => ({ ...model, unlisted: false }))
  const { data } = listModels({ ...options, catalog: { ...catalog, models }, withAliases: true })
  const row = data.find(({ id }) => id === name)
  if (row !== undefined) return sendJson(call.res, 200, row)
  return fail(
    call,
    modelNotFound(
      name,
      listModels(options).data.flatMap(({ id, aliases }) => [id].concat(aliases)),
    ),
  )
}
