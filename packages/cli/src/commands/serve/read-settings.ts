import { type Config, type ConfigReading, formatIssue, LswapError, readConfigFiles } from '@lswap/core'
import { dirname, resolve } from 'node:path'
import type { Io } from '../../io.ts'
import type { ConfigText } from './locate-config.ts'
import { readKeyFile } from './read-key-file.ts'

export interface SettingsContext {
  readonly env: Io['env']
  readonly cwd: string
  readonly say: (line: string) => void
}

/** What is in a configuration, or everything that is wrong with it. */
export const checkSettings = (
  { files }: ConfigText,
  { env, cwd, onKeyFile }: Pick<SettingsContext, 'env' | 'cwd'> & { readonly onKeyFile?: (path: string) => void },
): ConfigReading =>
  readConfigFiles(files, {
    env,
    readKeyFile: (path, file) => {
      // As beside the file that names it, wherever the command was started
      const place = resolve(cwd, dirname(file), path)
      onKeyFile?.(place)
      return readKeyFile(place)
    },
  })

/** Checks a configuration; names everything that is wrong with it, not only the first thing. */
export const readSettings = (source: ConfigText, { env, cwd, say }: SettingsContext): Config => {
  const reading = checkSettings(source, { env, cwd })
  for (const issue of reading.ok ? reading.warnings : reading.issues) say(formatIssue(issue))
  if (reading.ok) return reading.config
  const errors = reading.issues.filter(({ severity }) => severity === 'error').length
  throw new LswapError({
    code: 'invalid_config',
    message: `${errors === 1 ? '1 error' : `${errors} errors`} in ${source.name}; nothing was started.`,
  })
}
