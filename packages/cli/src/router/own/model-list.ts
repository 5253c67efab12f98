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
