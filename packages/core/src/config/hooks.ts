import { readCommandLine } from './command-line.ts'
import type { HookConfig, ModelHooks } from './model-config.ts'
import type { Path, Report } from './issue.ts'
import type { RawModel } from './schema-model.ts'
import { keyPlaceOf, placeOf, type Tree } from './tree.ts'

const DEFAULT_SECONDS = 30

interface Place {
  readonly root: Tree
  readonly path: Path
  readonly report: Report
}

/** The commands around a load; one that could not be run is reported and left out. Undefined: none. */
export const readHooks = (raw: RawModel['hooks'], place: Place): ModelHooks | undefined => {
  const read = (when: 'before' | 'after'): readonly HookConfig[] =>
    (raw?.[when] ?? []).flatMap(({ cmd, timeout = DEFAULT_SECONDS, required = false }, index) =>
      isCommand(cmd, { ...place, path: [...place.path, when, index] })
        ? [{ cmd, timeoutMs: timeout * 1000, required }]
        : [],
    )
  const hooks = { before: read('before'), after: read('after') }
  return hooks.before.length + hooks.after.length === 0 ? undefined : hooks
}

const isCommand = (cmd: string | undefined, { root, path, report }: Place): cmd is string => {
  if (cmd === undefined || cmd.trim() === '') {
    report.error({ at: keyPlaceOf(root, path), path: [...path, 'cmd'], message: 'the command is missing' })
    return false
  }
  const line = readCommandLine(cmd)
  if (!line.ok) report.error({ at: placeOf(root, [...path, 'cmd']), path: [...path, 'cmd'], message: line.message })
  return line.ok
}
