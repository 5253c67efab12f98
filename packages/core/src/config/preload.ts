import type { ModelId } from '../ids.ts'
import type { Path, Report } from './issue.ts'
import { textsAt, type Names } from './names.ts'
import type { Tree } from './tree.ts'

const PRELOAD: Path = ['hooks', 'on_startup', 'preload']

/** The models to load at the start, each once, in the order of the file. */
export const readPreload = (root: Tree, { names, report }: { names: Names; report: Report }): readonly ModelId[] => {
  const models = new Set<ModelId>()
  for (const { text, at, path } of textsAt(root, PRELOAD)) {
    const model = names.resolve(text)
    if (model !== undefined) models.add(model)
    else {
      const message = `no model has the id or alias ${JSON.stringify(text)}`
      report.error({ at, path, message, meant: { given: text, valid: names.all() } })
    }
  }
  return [...models]
}
