import { basename } from 'node:path'
import { discover } from '../../../packages/cli/dist/src/discover/discover.js'
import { tinyModels } from '../tiny-models.mjs'

/** Two models to swap between: the smallest that `lswap serve` would find here, else made-up ones; says which they are. */
export async function chooseModels({ cwd, env = process.env, say }) {
  const { models } = await discover({ io: { cwd, env }, platform: process.platform })
  const found = models
    .filter(({ purpose }) => purpose === 'chat')
    .toSorted((a, b) => a.bytes - b.bytes || (a.path < b.path ? -1 : 1))
  const chosen = found.slice(0, 2).map(({ id, path }) => ({ id, path }))
  if (chosen.length === 2) {
    say(`${found.length} models found; serving the two smallest`)
    return chosen
  }
  const made = (await tinyModels()).slice(chosen.length)
  const why = found.length === 0 ? 'no GGUF chat model was found on this machine' : 'only one model was found'
  const what = made.length === 2 ? 'two tiny models were made up' : 'a tiny one was made up beside it'
  say(`${why}, so ${what}: random weights, their answers are GIBBERISH`)
  return [...chosen, ...made.map((path) => ({ id: basename(path, '.gguf'), path }))]
}
