import {
  type Config,
  type ConfigReading,
  formatIssue,
  type KeyFileReading,
  LswapError,
  readConfigFiles,
} from '@lswap/core'
import { dirname, resolve } from 'node:path'
import type { Io } from '../../io.ts'
import type { ConfigText } from './locate-config.ts'
import { readKeyFile } from './read-key-file.ts'

export interface SettingsContext {
  readonly env: Io['env']
  readonly cwd: string
  readonly say: (line: string) => void
}

/** Told of each file that is read beside the configuration. */
type OnKeyFile = (path: string, reading: KeyFileReading) => void

/** What is in a configuration, or everything that is wrong with it. */
export const checkSettings = (
  { files }: ConfigText,
  { env, cwd, onKeyFile }: Pick<SettingsContext, 'env' | 'cwd'> & { readonly onKeyFile?: OnKeyFile },
): ConfigReading =>
  readConfigFiles(files, {
    env,
    readKeyFile: (path, file) => {
      // As beside the file that names it, wherever the command was started
      const place = resolve(cwd, dirname(file), path)
      const reading = readKeyFile(place)
      onKeyFile?.(place, reading)
      return reading
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
