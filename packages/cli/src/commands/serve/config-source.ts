import type { TaskContext } from '../invocation.ts'
import { demoConfig } from './demo.ts'
import { fakeEnginePath } from './fake-engine.ts'
import { configOrFound } from './found-config.ts'
import { findConfig, locateConfig, type ConfigFlags, type ConfigText } from './locate-config.ts'

/** Where a configuration came from. */
export interface ConfigSource {
  readonly first: ConfigText
  /** Reads it from there again, wherever another one may lie by now. */
  readonly again: () => Promise<ConfigText>
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
    return { first: demo, again: async () => demo }
  }
  const { io } = context
  const found = await findConfig(flags, io)
  if (found !== undefined) {
    const named: ConfigFlags = flags.configDir === undefined ? { config: found.name } : flags
    return { first: found, again: () => locateConfig(named, io) }
  }
  // Looked for anew: there may be more models by then, or a file
  const again = (): Promise<ConfigText> => configOrFound(flags, { io, say: () => {} })
  return { first: await configOrFound(flags, context), again }
}
