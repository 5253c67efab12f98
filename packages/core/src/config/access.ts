import { ANONYMOUS, callerId, type ModelId } from '../ids.ts'
import type { AccessConfig, KeyConfig, Scope } from './access-config.ts'
import { matchesGlob } from './glob.ts'
import type { Report } from './issue.ts'
import type { Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import { entriesOf, keyPlaceOf, placeOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

export type KeyFileReading =
  | { readonly ok: true; readonly text: string }
  /** `reason`: part of a sentence, as in "it does not exist". */
  | { readonly ok: false; readonly reason: string }

/** Reads a file that `keyFile` names; `file`: the one that names it. */
export type ReadKeyFile = (path: string, file: string) => KeyFileReading

interface Context {
  readonly root: Tree
  readonly names: Names
  readonly readKeyFile: ReadKeyFile | undefined
  readonly report: Report
}

type RawKey = Exclude<NonNullable<RawConfig['apiKeys']>[number], string>

const ALL_SCOPES: readonly Scope[] = ['infer', 'read', 'admin']

/** Reads keys, with their files, and whose pages and names are trusted. */
export const readAccess = (raw: RawConfig, context: Context): AccessConfig => ({
  keys: readKeys(raw.apiKeys ?? [], context),
  cors: (raw.cors ?? []).map(originOf),
  allowedHosts: (raw.allowedHosts ?? []).map((name) => name.toLowerCase()),
})

/** As browsers write it: in lower case, without the port that its scheme has anyway. */
const originOf = (text: string): string => {
  const origin = text.toLowerCase()
  if (origin.startsWith('https://')) return origin.replace(/:443$/, '')
  return origin.startsWith('http://') ? origin.replace(/:80$/, '') : origin
}

const readKeys = (given: NonNullable<RawConfig['apiKeys']>, context: Context): readonly KeyConfig[] => {
  const { root, report } = context
  const list = treeAt(root, ['apiKeys'])
  // Entries with mistakes are missing here: the places of the others would be wrong
  if (list?.kind !== 'list' || list.items.length !== given.length) return []
  const keys: KeyConfig[] = []
  for (const [index, item] of given.entries()) {
    const key = readKey(typeof item === 'string' ? { key: item } : item, index, context)
    if (key === undefined) continue
    const at = placeOf(root, ['apiKeys', index])
    if (keys.some(({ secret }) => secret === key.secret)) {
      report.error({ at, path: ['apiKeys', index], message: 'this key is there twice' })
    }
    if (key.name === ANONYMOUS || keys.some(({ name }) => name === key.name)) {
      const message = `the name ${key.name} is taken; logs and limits tell keys apart by their names`
      report.error({ at, path: ['apiKeys', index], message })
    }
    keys.push(key)
  }
  return keys
}

const readKey = (raw: RawKey, index: number, context: Context): KeyConfig | undefined => {
  const secret = readSecret(raw, index, context)
  if (secret === undefined) return undefined
  return {
    secret,
    name: callerId(raw.name ?? `key-${index + 1}`),
    scopes: raw.scopes ?? ALL_SCOPES,
    models: raw.models && readModels(raw.models, index, context),
    maxPriority: raw.maxPriority,
    concurrency: raw.concurrency,
  }
}

const readSecret = (raw: RawKey, index: number, { root, readKeyFile, report }: Context): string | undefined => {
  const path = ['apiKeys', index]
  const written = entriesOf(treeAt(root, path))
  if (written.has('key') && written.has('keyFile')) {
    const message = 'key and keyFile are both there; keep one of the two'
    report.error({ at: keyPlaceOf(root, [...path, 'keyFile']), path: [...path, 'keyFile'], message })
    return undefined
  }
  if (raw.key !== undefined) return raw.key
  if (raw.keyFile === undefined) {
    // Both were read: one that is there and missing here has a mistake, which is told already
    const isTold = ['key', 'keyFile'].some((name) => treeHasContent(written.get(name)?.value))
    if (!isTold) report.error({ at: placeOf(root, path), path, message: 'a key or a keyFile is missing' })
    return undefined
  }
  const named = report.fileAt(placeOf(root, [...path, 'keyFile']))
  const reading = readKeyFile?.(raw.keyFile, named) ?? { ok: false, reason: 'files are not read here' }
  const problem = reading.ok ? problemOf(reading.text.trim()) : `can not be read: ${reading.reason}`
  if (!reading.ok || problem !== undefined) {
    const place = [...path, 'keyFile']
    report.error({ at: placeOf(root, place), path: place, message: `the key file ${raw.keyFile} ${problem ?? ''}` })
    return undefined
  }
  return reading.text.trim()
}

const problemOf = (text: string): string | undefined => {
  if (text === '') return 'is empty'
  return /\s/.test(text) ? 'does not hold one key on one line' : undefined
}

const treeHasContent = (tree: Tree | undefined): boolean =>
  tree !== undefined && !(tree.kind === 'scalar' && tree.value === null && tree.broken !== true)

/** The models whose id or an alias matches one of the patterns. */
const readModels = (globs: readonly string[], index: number, { root, names, report }: Context): readonly ModelId[] => {
  const reached = new Set<ModelId>()
  for (const [place, glob] of globs.entries()) {
    const matching = [...names.all()].filter((name) => matchesGlob(glob, name))
    for (const name of matching) {
      const model = names.resolve(name)
      if (model !== undefined) reached.add(model)
    }
    if (matching.length === 0) {
      const path = ['apiKeys', index, 'models', place]
      const message = `no model has an id or alias like ${JSON.stringify(glob)}`
      report.warning({ at: placeOf(root, path), path, message, meant: { given: glob, valid: names.all() } })
    }
  }
  return [...reached]
}
