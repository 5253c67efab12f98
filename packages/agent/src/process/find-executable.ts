import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join, resolve, sep } from 'node:path'
import { platform } from 'node:process'

export type FoundExecutable =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string }

const suffixes = (env: NodeJS.ProcessEnv): readonly string[] =>
  platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : ['']

type Kind = 'executable' | 'directory' | 'not executable' | 'missing'

const kindOf = async (path: string): Promise<Kind> => {
  const [found, mayRun] = await Promise.all([
    stat(path).catch(() => undefined),
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
  ])
  if (found === undefined) return 'missing'
  if (found.isDirectory()) return 'directory'
  return mayRun ? 'executable' : 'not executable'
}

/** Finds the program as a shell with this environment would, so that a wrong command is known before anything stops. */
export const findExecutable = async (file: string, env: NodeJS.ProcessEnv): Promise<FoundExecutable> => {
  const isPath = file.includes('/') || file.includes(sep)
  const folders = isPath ? [''] : (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  let best: { readonly path: string; readonly kind: Kind } | undefined
  for (const folder of folders) {
    for (const suffix of suffixes(env)) {
      const path = resolve(join(folder, file) + suffix)
      const kind = await kindOf(path)
      if (kind === 'executable') return { ok: true, path }
      if (kind !== 'missing') best ??= { path, kind }
    }
  }
  if (best?.kind === 'directory') return { ok: false, message: `${best.path} is a directory, not a program` }
  if (best !== undefined) return { ok: false, message: `${best.path} is not executable` }
  return { ok: false, message: isPath ? `${resolve(file)} does not exist` : `${file} is not on the PATH` }
}
