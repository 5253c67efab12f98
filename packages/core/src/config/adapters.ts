import { readCommandLine } from './command-line.ts'
import type { AdapterConfig, RequestFilters } from './model-config.ts'
import type { RawModel } from './schema-model.ts'

/** What `adapters` make of a model: its command, and what requests for them carry. */
export interface Adapters {
  readonly cmd: string
  readonly filters: RequestFilters
  readonly adapters: readonly AdapterConfig[]
}

const FULL_SCALE = 1
/** A file, wherever it lies; other text is a name that the engine itself knows, as vLLM's `--lora-modules` gives them. */
const PATH = /[\\/]|\.gguf$/i

/**
 * Reads `adapters`. Files are added to the command, and none of them acts unless it is asked for; an adapter's alias is a
 * name of the model whose requests get the field `lora`, llama-server's way to choose adapters for one request.
 */
export const readAdapters = (
  given: RawModel['adapters'],
  { cmd, filters }: { cmd: string; filters: RequestFilters },
): Adapters => {
  const files: string[] = []
  const adapters: AdapterConfig[] = []
  const first = loadedBy(cmd)
  const idOf = (path: string): number => {
    if (!files.includes(path)) files.push(path)
    return first + files.indexOf(path)
  }
  for (const [alias, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue
    const { path, id, scale = FULL_SCALE } = typeof value === 'object' ? value : shortForm(value)
    if (path !== undefined) adapters.push({ alias, id: idOf(path), scale, startsOff: true })
    else if (typeof id === 'string') adapters.push({ alias, engineName: id })
    else if (id !== undefined) adapters.push({ alias, id, scale })
  }
  const switches = files.map((path) => ` --lora ${quote(path)}`).join('')
  return {
    cmd: files.length === 0 ? cmd : `${cmd}\n--lora-init-without-apply${switches}`,
    filters: { ...filters, setParamsById: joined([...filters.setParamsById, ...adapters.flatMap(paramsOf)]) },
    adapters,
  }
}

const shortForm = (value: string | number): { path?: string; id?: string | number; scale?: number } =>
  typeof value === 'string' && PATH.test(value) ? { path: value } : { id: value }

const paramsOf = (adapter: AdapterConfig): RequestFilters['setParamsById'] =>
  'engineName' in adapter
    ? []
    : [
        {
          name: adapter.alias,
          params: [{ key: 'lora', json: JSON.stringify([{ id: adapter.id, scale: adapter.scale }]) }],
        },
      ]

/** An adapter's alias may have parameters of its own as well. */
const joined = (all: RequestFilters['setParamsById']): RequestFilters['setParamsById'] => {
  const byName = new Map<string, (typeof all)[number]['params']>()
  for (const { name, params } of all) byName.set(name, [...(byName.get(name) ?? []), ...params])
  return [...byName].map(([name, params]) => ({ name, params }))
}

/** How many adapters a command loads itself: theirs are the first ids. */
const loadedBy = (cmd: string): number => {
  const line = readCommandLine(cmd)
  if (!line.ok) return 0
  let count = 0
  for (const [at, word] of line.words.entries()) {
    const [name, value] = word.split('=', 2)
    if (name === '--lora' || name === '--lora-scaled') count += (value ?? line.words[at + 1] ?? '').split(',').length
  }
  return count
}

const quote = (path: string): string => `"${path.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`
