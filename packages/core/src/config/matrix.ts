import type { MatrixOptions } from '../evict/matrix/matrix.ts'
import { parseSets } from '../evict/matrix/sets.ts'
import type { ModelId } from '../ids.ts'
import type { Path, Report } from './issue.ts'
import type { Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import { entriesOf, keyPlaceOf, placeInText, placeOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

/** What runs together nowhere: every model alone. */
export const NO_MATRIX: MatrixOptions = { sets: [], evictCosts: new Map() }

interface Context {
  readonly root: Tree
  readonly text: string
  readonly names: Names
  readonly report: Report
}

/** Reads a matrix at its place in the file. Sets keep the order of the file: it decides between equals. */
export const readMatrix = (given: RawConfig['matrix'], path: Path, context: Context): MatrixOptions => {
  if (given === undefined) return NO_MATRIX
  const vars = readVars(given.vars ?? {}, [...path, 'vars'], context)
  const { names } = context
  const lookUp: LookUp = {
    model: (name) => vars.get(name) ?? names.resolve(name),
    all: () => [...vars.keys(), ...names.all()],
  }
  return {
    sets: readSets(given.sets ?? {}, [...path, 'sets'], { ...context, lookUp }),
    evictCosts: readCosts(given.evict_costs ?? {}, [...path, 'evict_costs'], { ...context, lookUp }),
  }
}

/** Names as expressions and costs may use them: variables, then ids and aliases. */
interface LookUp {
  model(name: string): ModelId | undefined
  all(): Iterable<string>
}

const VARIABLE = /^[a-zA-Z0-9.-]{1,32}$/

type Texts = Readonly<Record<string, string | undefined>>

const readVars = (given: Texts, path: Path, { root, names, report }: Context): ReadonlyMap<string, ModelId> => {
  const vars = new Map<string, ModelId>()
  for (const [name, text] of Object.entries(given)) {
    const place = [...path, name]
    if (!VARIABLE.test(name)) {
      const message = `a variable's name has letters, digits, . and -, at most 32`
      report.error({ at: keyPlaceOf(root, place), path: place, message })
    }
    if (text === undefined) continue
    const model = names.resolve(text)
    if (model === undefined) {
      const message = `no model has the id or alias ${JSON.stringify(text)}`
      report.error({ at: placeOf(root, place), path: place, message, meant: { given: text, valid: names.all() } })
    } else {
      vars.set(name, model)
    }
  }
  return vars
}

const readCosts = (
  given: Readonly<Record<string, number | undefined>>,
  path: Path,
  { root, report, lookUp }: Context & { readonly lookUp: LookUp },
): ReadonlyMap<ModelId, number> => {
  const costs = new Map<ModelId, number>()
  for (const [name, cost] of Object.entries(given)) {
    const place = [...path, name]
    const at = keyPlaceOf(root, place)
    const model = lookUp.model(name)
    if (model === undefined) {
      const message = `there is no model or variable ${JSON.stringify(name)}`
      report.error({ at, path: place, message, meant: { given: name, valid: lookUp.all() } })
    } else if (costs.has(model)) {
      const message = `the model ${JSON.stringify(model)} has a cost already, by another name`
      report.error({ at, path: place, message })
    } else if (cost !== undefined) {
      costs.set(model, cost)
    }
  }
  return costs
}

const readSets = (
  given: Texts,
  path: Path,
  { root, text, report, lookUp }: Context & { readonly lookUp: LookUp },
): MatrixOptions['sets'] => {
  const sets = new Map<string, string>()
  for (const name of entriesOf(treeAt(root, path)).keys()) {
    const expression = given[name]
    if (expression !== undefined) sets.set(name, expression)
  }
  const reading = parseSets({ sets, model: (name) => lookUp.model(name) })
  if (reading.ok) return reading.sets
  for (const { set, at, message, unknownName, isIncluded } of reading.errors) {
    // The included set tells it, at its own place.
    if (isIncluded) continue
    const place = [...path, set]
    const valid = sets.get(set)?.[at] === '+' ? sets.keys() : lookUp.all()
    report.error({
      at: placeInText(treeAt(root, place), at, text),
      path: place,
      message,
      ...(unknownName !== undefined && { meant: { given: unknownName, valid } }),
    })
  }
  return []
}
