import { tinyModels } from '../tiny-models.mjs'
import { modelIds } from './config.mjs'
import { findModels } from './find-models.mjs'
import { modelPlaces } from './model-places.mjs'

/** Two models to swap between: the smallest of this machine, else made-up ones; says which they are. */
export async function chooseModels({ cwd, say }) {
  const found = await findModels(modelPlaces({ cwd }))
  const chosen = found.slice(0, 2).map(({ path }) => path)
  if (chosen.length < 2) {
    const made = (await tinyModels()).slice(chosen.length)
    chosen.push(...made)
    const why = found.length === 0 ? 'no GGUF chat model was found on this machine' : 'only one model was found'
    const what = made.length === 2 ? 'two tiny models were made up' : 'a tiny one was made up beside it'
    say(`${why}, so ${what}: random weights, their answers are GIBBERISH`)
  } else {
    say(`${found.length} models found; serving the two smallest`)
  }
  const ids = modelIds(chosen)
  return chosen.map((path, at) => ({ id: ids[at], path }))
}
