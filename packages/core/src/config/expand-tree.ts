import { commentsOf, insertValue } from './command-line.ts'
import { expandText, modelScope, topScope } from './expand.ts'
import type { Scope } from './expand.ts'
import type { Path } from './issue.ts'
import { declareMacros, placeOfReference } from './macros.ts'
import type { MacroContext, MacroValue } from './macros.ts'
import { assignPorts, DEFAULT_START_PORT, MAX_START_PORT } from './ports.ts'
import { configSchema } from './schema.ts'
import { modelSchema } from './schema-model.ts'
import { entriesOf } from './tree.ts'
import type { Entry, MapTree, ScalarTree, Tree } from './tree.ts'

/** What becomes of `${PORT}` and `${PID}` in a field: left for the agent, replaced by the number, or refused. */
interface Field {
  readonly keeps: ReadonlySet<string>
  readonly port: number | undefined
  /** A command line: its comment lines stay as they are. */
  readonly isCommand: boolean
}

const NONE: ReadonlySet<string> = new Set()
const PLAIN_FIELD: Field = { keeps: NONE, port: undefined, isCommand: false }

/** Fields that the agent completes when a process starts. */
const KEEPS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['cmd', new Set(['PORT'])],
  ['env', new Set(['PORT'])],
  ['cmdStop', new Set(['PORT', 'PID'])],
  ['proxy', new Set(['PORT'])],
])
/** Shown to people: the stable port will do there. */
const SHOWS_PORT: ReadonlySet<string> = new Set(['name', 'description', 'metadata'])

/** The whole file with its macros expanded; the `macros` themselves stay as they are. */
export const expandFile = (root: MapTree, context: MacroContext): MapTree => {
  const path: Path = ['macros']
  const macros = declareMacros(root.entries.get('macros')?.value, { path, outer: new Map() }, context)
  const scope = topScope(macros, context)
  const entries = new Map(root.entries)
  for (const [key, entry] of root.entries) {
    if (key === 'macros' || key === 'models' || !isKnown(configSchema, key)) continue
    entries.set(key, { ...entry, value: expand(entry.value, [key], { scope, field: PLAIN_FIELD }) })
  }
  // Last: a model's text may show its port, which is counted from `startPort`.
  const models = root.entries.get('models')
  const startPort = startPortOf(entries.get('startPort')?.value)
  if (models) entries.set('models', { ...models, value: expandModels(models.value, startPort, scope) })
  return { ...root, entries }
}

const startPortOf = (tree: Tree | undefined): number => {
  const value = tree?.kind === 'scalar' ? tree.value : undefined
  const isPort = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_START_PORT
  return isPort ? value : DEFAULT_START_PORT
}

/** What is not known, or no map where one is wanted, is told as that; its macros would only add complaints that lead astray. */
const isKnown = ({ shape }: { readonly shape: object }, key: string): boolean => Object.hasOwn(shape, key)

interface Settings {
  readonly scope: Scope
  readonly field: Field
}

const expandModels = (tree: Tree, startPort: number, top: Scope): Tree => {
  if (tree.kind !== 'map') return tree
  const models = expandKeys(tree, ['models'], { scope: top, field: PLAIN_FIELD })
  const ports = assignPorts(models.keys(), startPort)
  const entries = new Map<string, Entry>()
  for (const [id, entry] of models) {
    entries.set(id, { ...entry, value: expandModel(entry.value, { id, port: ports.get(id) }, top) })
  }
  return { ...tree, entries }
}

const expandModel = (tree: Tree, model: { id: string; port: number | undefined }, top: Scope): Tree => {
  const path = ['models', model.id]
  const declared = entriesOf(tree).get('macros')?.value
  const macros = declareMacros(declared, { path: [...path, 'macros'], outer: top.macros }, top.context)
  const scope = modelScope(top, macros, model.id)
  if (tree.kind !== 'map') return tree
  const entries = new Map(tree.entries)
  for (const [key, entry] of tree.entries) {
    if (!isKnown(modelSchema, key)) continue
    const field: Field = {
      keeps: KEEPS.get(key) ?? NONE,
      port: SHOWS_PORT.has(key) ? model.port : undefined,
      isCommand: key === 'cmd' || key === 'cmdStop',
    }
    const value = key === 'macros' ? entry.value : expand(entry.value, [...path, key], { scope, field })
    entries.set(key, { ...entry, value })
  }
  return { ...tree, entries }
}

const expand = (tree: Tree, path: Path, settings: Settings): Tree => {
  if (tree.kind === 'scalar') return expandScalar(tree, path, settings)
  if (tree.kind === 'list') {
    return { ...tree, items: tree.items.map((item, index) => expand(item, [...path, index], settings)) }
  }
  const entries = new Map<string, Entry>()
  for (const [key, entry] of expandKeys(tree, path, settings)) {
    entries.set(key, { ...entry, value: expand(entry.value, [...path, key], settings) })
  }
  return { ...tree, entries }
}

const expandKeys = (tree: MapTree, path: Path, settings: Settings): ReadonlyMap<string, Entry> => {
  const entries = new Map<string, Entry>()
  for (const [written, entry] of tree.entries) {
    const at = entry.keyAt
    const end = at + written.length
    const key = expandScalar({ kind: 'scalar', value: written, source: written, plain: false, at, end }, path, settings)
    const name = String(key.value)
    const { report } = settings.scope.context
    if (entries.has(name)) report.error({ at, path: [...path, name], message: 'this key is there twice' })
    else entries.set(name, entry)
  }
  return entries
}

const expandScalar = (tree: ScalarTree, path: Path, settings: Settings): ScalarTree => {
  const { value } = tree
  if (typeof value !== 'string' || !value.includes('${')) return tree
  let expanded: MacroValue | undefined = ''
  let secret = false
  for (const [part, isComment] of settings.field.isCommand ? partsOf(value) : [[value, false] as const]) {
    const piece = isComment
      ? { value: part, secret: false }
      : expandText(part, settings.scope, { tree, path, chain: [] })
    const finished = piece && finish(piece.value, tree, path, settings)
    secret ||= piece?.secret ?? false
    if (finished === undefined || expanded === undefined) expanded = undefined
    else expanded = part === value ? finished : String(expanded) + String(finished)
  }
  const { scope, field } = settings
  if (field.isCommand && typeof expanded === 'string') expanded = insertValue(expanded, MODEL_ID, scope.modelId ?? '')
  if (expanded === undefined) return { ...tree, broken: true }
  // `ttl: ${env.TTL}` without quotes is read as if its value stood there.
  const bare = tree.plain && secret && typeof expanded === 'string' ? retype(expanded) : expanded
  return { ...tree, value: bare, source: String(expanded), plain: false, ...(secret && { secret: true }) }
}

/** A command line cut at its comment lines. */
const partsOf = (command: string): (readonly [string, boolean])[] => {
  const parts: (readonly [string, boolean])[] = []
  let from = 0
  for (const [begin, end] of commentsOf(command)) {
    parts.push([command.slice(from, begin), false], [command.slice(begin, end), true])
    from = end
  }
  parts.push([command.slice(from), false])
  return parts
}

const MODEL_ID = '${MODEL_ID}'
const AT_START = /\$\{(PORT|PID|MODEL_ID)\}/g

/** Deals with the reserved macros: some have no value before a process starts. */
const finish = (
  value: MacroValue,
  tree: ScalarTree,
  path: Path,
  { field, scope }: Settings,
): MacroValue | undefined => {
  if (typeof value !== 'string') return value
  if (value === '${PORT}' && field.port !== undefined) return field.port
  let refused = false
  const text = value.replaceAll(AT_START, (reference, name: string) => {
    if (field.keeps.has(name)) return reference
    if (name === 'PORT' && field.port !== undefined) return String(field.port)
    // In a command its words are counted first: an id may have blanks and quotes
    if (name === 'MODEL_ID' && scope.modelId !== undefined) return field.isCommand ? reference : scope.modelId
    refused = true
    const at = placeOfReference(reference, tree, scope.context)
    scope.context.report.error({ at, path, message: refusal(name) })
    return reference
  })
  return refused ? undefined : text
}

const refusal = (name: string): string => {
  if (name === 'PORT') return '${PORT} has a value only in cmd, cmdStop, proxy and env'
  return name === 'PID' ? '${PID} has a value only in cmdStop' : '${MODEL_ID} has a value only inside of a model'
}

const retype = (text: string): MacroValue => {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^[-+]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}
