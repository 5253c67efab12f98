import { modelId, type ModelId, type SelectorConfig } from '@lswap/core'
import { namesOf, type Catalog } from '../catalog.ts'
import type { Peers } from '../peers/peers.ts'

/** All that has a name. */
export interface Named {
  readonly catalog: Pick<Catalog, 'models' | 'find'>
  readonly peers: Pick<Peers, 'models' | 'find'>
  readonly mayUse: (model: ModelId) => boolean
}

/** Whether a target of a selector is a model that the caller may use. */
const isReached = (target: string, { catalog, peers, mayUse }: Named): boolean => {
  const id = catalog.find(target)?.id ?? peers.find(target)?.name
  return id !== undefined && mayUse(modelId(id))
}

/** Whether a caller gets to see a selector. */
export const isShown = ({ unlisted, targets }: SelectorConfig, named: Named): boolean =>
  !unlisted && targets.some((target) => isReached(target, named))

/** The names that a caller may be told of: no more than its list of models shows. */
export const listedNames = (named: Named, selectors: readonly SelectorConfig[]): readonly string[] => [
  ...namesOf(named.catalog.models.filter(({ id }) => named.mayUse(id))),
  ...named.peers.models.map(({ name }) => name).filter((name) => named.mayUse(modelId(name))),
  ...selectors.filter((selector) => isShown(selector, named)).map(({ id }) => id),
]
