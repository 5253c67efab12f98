import type { ModelConfig, RequestFilters } from '@lswap/core'
import type { Edit } from '../body/splice.ts'
import type { FoundModel, ScannerOptions } from '../model-name.ts'

/** Each letter of a key may be written as an escape of six bytes. */
const ESCAPED_BYTES = 6

/** What the filters of all models need to be read of a body. */
export const scanningFor = (
  filtered: readonly Pick<ModelConfig, 'filters'>[],
  find: (name: string) => ModelConfig | undefined,
  indirect: ReadonlySet<string>,
): ScannerOptions => {
  const keys = filtered.flatMap(({ filters: { stripParams, setParams, setParamsById } }) => [
    ...stripParams,
    ...[...setParams, ...setParamsById.flatMap(({ params }) => params)].map(({ key }) => key),
  ])
  return {
    filteredKeys: new Set(keys),
    maxKeyBytes: keys.reduce((longest, { length }) => Math.max(longest, length * ESCAPED_BYTES), 0),
    needsAll: (name) => {
      const model = find(name)
      return indirect.has(name) || (model !== undefined && isFiltered(model, name))
    },
  }
}

/** Whether a body that calls a model by a name is edited. */
const isFiltered = (model: ModelConfig, name: string): boolean =>
  engineNameOf(model, name) !== undefined || hasFilters(model.filters, name)

const hasFilters = ({ stripParams, setParams, setParamsById }: RequestFilters, name: string): boolean =>
  stripParams.length > 0 || setParams.length > 0 || setParamsById.some((one) => one.name === name)

/** What the engine is told instead of a name: that of an adapter that it knows itself, else the model's. */
const engineNameOf = ({ adapters = [], useModelName }: ModelConfig, name: string): string | undefined => {
  const adapter = adapters.find(({ alias }) => alias === name)
  return adapter !== undefined && 'engineName' in adapter ? adapter.engineName : useModelName
}

/** What a model's filters make of a body, from its start to its end: nothing is parsed, and what no filter is about stays as it is. */
export const editsOf = (model: ModelConfig, found: FoundModel, calledAs: string = found.model): readonly Edit[] => {
  const given = calledAs === found.model ? undefined : calledAs
  return editsWith({ filters: model.filters, calledAs, engineName: engineNameOf(model, calledAs) ?? given }, found)
}

/** The same for a model of a peer, which has its own name there. */
export const editsForPeer = (filters: RequestFilters, found: FoundModel, model: string): readonly Edit[] =>
  editsWith({ filters, calledAs: model, engineName: model === found.model ? undefined : model }, found)

interface Editing {
  readonly filters: RequestFilters
  /** The name that parameters by name are for. */
  readonly calledAs: string
  /** Written in place of the client's; undefined: that stays. */
  readonly engineName: string | undefined
}

/** What filters do for a name. */
export interface Changes {
  /** The JSON that takes a member's place, by its key. */
  readonly sets: ReadonlyMap<string, string>
  /** Keys of members that are left out, unless they are set. */
  readonly stripped: ReadonlySet<string>
}

export const changesOf = (filters: RequestFilters, calledAs: string): Changes => {
  // Later ones win: by id over those for all, and to set over to strip
  const sets = new Map(filters.setParams.map(({ key, json }) => [key, json]))
  const own = filters.setParamsById.find(({ name }) => name === calledAs)
  for (const { key, json } of own?.params ?? []) sets.set(key, json)
  return { sets, stripped: new Set(filters.stripParams) }
}

const editsWith = ({ filters, calledAs, engineName }: Editing, found: FoundModel): readonly Edit[] => {
  if (engineName === undefined && !hasFilters(filters, calledAs)) return NONE
  const { sets, stripped } = changesOf(filters, calledAs)
  const missing = new Map(sets)

  const edits: Edit[] = []
  for (const { key, lead, start, value, end, next } of found.members) {
    const json = sets.get(key)
    // Each one of a key that is there twice: which of them counts is the engine's choice
    if (json !== undefined) edits.push({ start: value, end, bytes: Buffer.from(json) })
    // `model` stays, so there is a comma behind what comes before it, and one before what comes behind it
    else if (stripped.has(key))
      edits.push(
        start < found.start
          ? { start, end: (next ?? end) + 1, bytes: NOTHING }
          : { start: lead ?? start, end, bytes: NOTHING },
      )
    missing.delete(key)
  }
  const added = [...missing].map(([key, json]) => `,${JSON.stringify(key)}:${json}`).join('')
  if (engineName !== undefined)
    edits.push({ start: found.start, end: found.end, bytes: Buffer.from(JSON.stringify(engineName) + added) })
  else if (added !== '') edits.push({ start: found.end, end: found.end, bytes: Buffer.from(added) })
  return edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

const NOTHING = Buffer.alloc(0)
const NONE: readonly Edit[] = []
