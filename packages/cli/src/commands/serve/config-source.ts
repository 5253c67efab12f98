import { resolve } from 'node:path'
import type { TaskContext } from '../invocation.ts'
import { demoConfig } from './demo.ts'
import { fakeEnginePath } from './fake-engine.ts'
import { configOrFound } from './found-config.ts'
import { findConfig, isConfigName, locateConfig, type ConfigFlags, type ConfigText } from './locate-config.ts'
import type { WatchedFiles } from './look-at-files.ts'

/** Where a configuration came from. */
export interface ConfigSource {
  readonly first: ConfigText
  /** Reads it from there again, wherever another one may lie by now. */
  readonly again: () => Promise<ConfigText>
  /** What it is read from; undefined: no files. */
  readonly files: WatchedFiles | undefined
}

export interface SourceFlags extends ConfigFlags {
  readonly demo?: true
}

export const openSource = async (
  flags: SourceFlags,
  context: Pick<TaskContext, 'io' | 'say'>,
): Promise<ConfigSource> => {
  if (flags.demo === true) {
    const demo = demoConfig(fakeEnginePath())
    return { first: demo, again: async () => demo, files: undefined }
  }
  const { io } = context
  const found = await findConfig(flags, io)
  if (found !== undefined) {
    const named: ConfigFlags = flags.configDir === undefined ? { config: found.name } : flags
    return { first: found, again: () => locateConfig(named, io), files: filesOf(named, io.cwd) }
  }
  // Looked for anew: there may be more models by then, or a file
  const again = (): Promise<ConfigText> => configOrFound(flags, { io, say: () => {} })
  return { first: await configOrFound(flags, context), again, files: undefined }
}

const filesOf = ({ config, configDir }: ConfigFlags, cwd: string): WatchedFiles => ({
  files: config === undefined ? [] : [resolve(cwd, config)],
  folder: configDir === undefined ? undefined : { path: resolve(cwd, configDir), counts: isConfigName },
})
