import type { ConfigReading } from '@lswap/core'
import type { Io } from '../../io.ts'
import { systemClock } from '../../router/clock.ts'
import type { Log } from '../../router/log.ts'
import type { ConfigSource } from './config-source.ts'
import { lookAtFiles } from './look-at-files.ts'
import { checkSettings } from './read-settings.ts'
import { createWatch } from './watch.ts'

/** Reads a configuration again, and notices when there is reason to. */
export interface WatchedReader {
  read(): Promise<ConfigReading>
  watch(onChange: () => Promise<unknown>, log: Log): void
  stop(): void
}

export const watchedReader = ({ again, files }: ConfigSource, { env, cwd }: Pick<Io, 'env' | 'cwd'>): WatchedReader => {
  /** Files with keys, which the configuration names. */
  let keyFiles = new Set<string>()
  const watch = createWatch({
    look: () => lookAtFiles({ ...files, files: [...(files?.files ?? []), ...keyFiles] }),
    clock: systemClock(),
  })

  const readNow = async (): Promise<ConfigReading> => {
    const named = new Set<string>()
    const reading = checkSettings(await again(), { env, cwd, onKeyFile: (path) => named.add(path) })
    keyFiles = named
    return reading
  }

  return {
    read: () => watch.reading(readNow),
    watch: (onChange, log) => {
      if (files === undefined) log.warn({}, 'nothing to watch: the configuration is no file')
      else watch.start(onChange)
    },
    stop: () => watch.stop(),
  }
}
