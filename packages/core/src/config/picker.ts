import type { PickerSettings } from '../pick/settings.ts'
import type { Path, Report } from './issue.ts'
import type { RawConfig } from './schema.ts'
import { entriesOf, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

const PICKER: Path = ['routing', 'picker']

/** The picker and what was set of it; thresholds that were not keep the values of the profile. */
export const readPicker = (raw: RawConfig, root: Tree, report: Report): PickerSettings => {
  const { use = 'tree', profile = 'llama', onSaturation = 'wait', ...thresholds } = raw.routing?.picker ?? {}
  if (use !== 'tree') {
    for (const key of entriesOf(treeAt(root, PICKER)).keys()) {
      if (key === 'use') continue
      const path = [...PICKER, key]
      report.warning({ at: keyPlaceOf(root, path), path, message: `no effect: the picker ${use} has no settings` })
    }
  }
  const given = Object.entries(thresholds).filter(([, value]) => value !== undefined)
  return { use, profile, onSaturation, ...(Object.fromEntries(given) as PickerSettings) }
}
