import { readCommandLine } from './command-line.ts'
import type { Path, Report } from './issue.ts'
import { portArgument } from './ports.ts'
import type { RawModel } from './schema-model.ts'
import { keyPlaceOf, placeOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

/** A model in the file. */
interface Place {
  readonly root: Tree
  readonly path: Path
  readonly report: Report
}

/** Checks `cmd` and `cmdStop`; returns the first as written. Undefined: there is none, and that is reported unless it `mayLack`: then it is empty. */
export const readCommands = (
  model: RawModel,
  { mayLack, ...place }: Place & { readonly mayLack: boolean },
): string | undefined => {
  checkStop(model.cmdStop, place)
  const { root, report } = place
  const path = [...place.path, 'cmd']
  if (model.cmd === undefined) {
    // Those that run it on other machines have their own
    if (isMissing(treeAt(root, path)) && mayLack) return ''
    if (isMissing(treeAt(root, path)))
      report.error({ at: keyPlaceOf(root, path), path, message: 'the command is missing' })
    return undefined
  }
  const at = placeOf(root, path)
  const line = readCommandLine(model.cmd)
  if (!line.ok) {
    report.error({ at, path, message: line.message })
  } else if (!isReachable(model, line.words)) {
    const message = 'nothing says where the engine listens: give the command `--port ${PORT}`, or set `proxy`'
    report.error({ at, path, message })
  }
  return model.cmd
}

const checkStop = (command: string | undefined, { root, path: model, report }: Place): void => {
  if (command === undefined || command.trim() === '') return
  const line = readCommandLine(command)
  const path = [...model, 'cmdStop']
  if (!line.ok) report.error({ at: placeOf(root, path), path, message: line.message })
}

/** A command of a wrong type is reported elsewhere. */
const isMissing = (cmd: Tree | undefined): boolean =>
  cmd === undefined || (cmd.kind === 'scalar' && cmd.value === null && !cmd.broken)

const PORT = '${PORT}'

/** Whether it is known which port to ask: without that the engine would start and never be found ready. */
const isReachable = ({ proxy, env }: RawModel, words: readonly string[]): boolean => {
  if ([...words, ...(env ?? [])].some((text) => text.includes(PORT))) return true
  return proxy === undefined ? portArgument(words) !== undefined : !proxy.includes(PORT)
}
