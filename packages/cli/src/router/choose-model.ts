import type { Failure } from '@lswap/core'
import type { Catalog } from './catalog.ts'
import type { RunLoop } from './loop.ts'

/** More names are nothing that a person reads. */
const MOST_SHOWN = 20

/** The model that `?model=` names, else the one that is ready; a failure that lists the choices where neither tells. */
export const chooseModel = (catalog: Catalog, loop: Pick<RunLoop, 'view'>, query: string): string | Failure => {
  const named = new URLSearchParams(query).get('model')
  if (named !== null) return named
  const { models } = loop.view()
  const ready = catalog.models.filter(
    ({ id }) => models.get(id)?.placements.some(({ phase }) => phase === 'ready') === true,
  )
  const [only, ...others] = ready
  if (only !== undefined && others.length === 0) return only.id
  const choices = (ready.length > 0 ? ready : catalog.models).filter(({ unlisted }) => !unlisted).map(({ id }) => id)
  const shown = choices.slice(0, MOST_SHOWN).join(', ')
  const left = choices.length > MOST_SHOWN ? ` and ${choices.length - MOST_SHOWN} more` : ''
  return {
    code: 'model_missing',
    message: ready.length > 0 ? 'Several models are ready, and ?model= names none.' : 'No model is ready.',
    hint: `Choose with ?model=: ${shown}${left}.${ready.length > 0 ? '' : ' It must be loaded: this route loads none.'}`,
  }
}
