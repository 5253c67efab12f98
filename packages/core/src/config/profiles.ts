import type { ProfileConfig } from './names-config.ts'
import type { Path, Report } from './issue.ts'
import type { RawConfig } from './schema.ts'
import type { Targets } from './targets.ts'
import { entriesOf, isNothing, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

interface Context {
  readonly root: Tree
  readonly targets: Targets
  readonly report: Report
}

/** Reads the profiles: names that mean other models while a profile is active. */
export const readProfiles = (raw: RawConfig, context: Context): readonly ProfileConfig[] =>
  [...entriesOf(treeAt(context.root, ['profiles'])).keys()].map((id) => ({
    id,
    description: raw.profiles?.[id]?.description || undefined,
    pins: readPins(['profiles', id, 'pins'], context),
  }))

const readPins = (path: Path, { root, targets, report }: Context): ProfileConfig['pins'] => {
  const pins = entriesOf(treeAt(root, path))
  if (pins.size === 0) {
    const tree = treeAt(root, path)
    const message = 'a profile needs at least one pin'
    if (tree === undefined || isNothing(tree) || tree.kind === 'map') {
      report.error({ at: keyPlaceOf(root, path), path, message })
    }
  }
  return [...pins].map(([name, { value }]) => {
    const text = value.kind === 'scalar' && value.value !== null ? value.source : ''
    if (text === '') return { name, target: undefined }
    if (targets.resolve(text) === undefined && treeAt(root, ['selectors', text]) === undefined) {
      const place = [...path, name]
      const valid = [...targets.all(), ...entriesOf(treeAt(root, ['selectors'])).keys()]
      const message = `no model, alias or selector is called ${JSON.stringify(text)}`
      report.error({ at: value.at, path: place, message, meant: { given: text, valid } })
    }
    return { name, target: text }
  })
}
