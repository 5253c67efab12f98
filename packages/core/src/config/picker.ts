import { PREFIX_PICKER } from '../pick/prefix/prefix-picker.ts'
import type { PickerSettings } from '../pick/settings.ts'
import type { Path, Report } from './issue.ts'
import type { RawConfig } from './schema.ts'
import { entriesOf, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

const PICKER: Path = ['routing', 'picker']

/** Why a setting has no effect; undefined: it has one. */
const idle = (use: string, key: string): string | undefined => {
  if (use === 'least-loaded') return `the picker ${use} has no settings`
  return key === 'prefixQueueThreshold' && use !== PREFIX_PICKER ? `the picker ${use} knows no prefixes` : undefined
}

/** The picker and what was set of it; thresholds that were not keep the values of the profile. */
export const readPicker = (raw: RawConfig, root: Tree, report: Report): PickerSettings => {
  const { use = 'tree', profile = 'llama', onSaturation = 'wait', ...thresholds } = raw.routing?.picker ?? {}
  for (const key of entriesOf(treeAt(root, PICKER)).keys()) {
    const why = key === 'use' ? undefined : idle(use, key)
    const path = [...PICKER, key]
    if (why !== undefined) report.warning({ at: keyPlaceOf(root, path), path, message: `no effect: ${why}` })
  }
  const given = Object.entries(thresholds).filter(([, value]) => value !== undefined)
  return { use, profile, onSaturation, ...(Object.fromEntries(given) as PickerSettings) }
}
