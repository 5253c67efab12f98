import { LswapError, type ConfigFile } from '@lswap/core'
import { readdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Io } from '../../io.ts'
import { readConfigFile, unreadable } from './read-config-file.ts'
import { fileReason } from '../../print/file-reason.ts'

/** What a configuration is read from. */
export interface ConfigText {
  /** As a person would name the whole, in messages. */
  readonly name: string
  /** In the order in which they are merged; at least one. */
  readonly files: readonly ConfigFile[]
}

export interface ConfigFlags {
  readonly config?: string
  readonly configDir?: string
}

type Place = Pick<Io, 'env' | 'cwd'>

/** The configuration: what the flags name, else `$LSWAP_CONFIG`, else the first file that exists of the usual places; undefined: none. */
export const findConfig = async (flags: ConfigFlags, io: Place): Promise<ConfigText | undefined> => {
  const { config, configDir } = flags
  if (configDir !== undefined) {
    const first = config === undefined ? [] : [await readNamed(config, '--config', io)]
    return { name: configDir, files: [...first, ...(await readFolder(configDir, config, io))] }
  }
  const named = config ?? (io.env['LSWAP_CONFIG'] || undefined)
  if (named !== undefined) {
    return { name: named, files: [await readNamed(named, config === undefined ? '$LSWAP_CONFIG' : '--config', io)] }
  }
  for (const file of usualPlaces(io.env)) {
    const found = await readConfigFile(resolve(io.cwd, file), file)
    if (found !== undefined) return { name: file, files: [found] }
  }
  return undefined
}

/** {@link findConfig} for those that need one. */
export const locateConfig = async (flags: ConfigFlags, io: Place): Promise<ConfigText> => {
  const found = await findConfig(flags, io)
  if (found !== undefined) return found
  const places = usualPlaces(io.env).map((file) => resolve(io.cwd, file))
  throw new LswapError({
    code: 'invalid_config',
    message: `No configuration found. Looked for $LSWAP_CONFIG (not set), ${places.join(', ')}.`,
    hint: 'write one of them or give --config FILE; `lswap serve --demo` tries lswap with two simulated models',
  })
}

/** Where a configuration lies that nobody named. */
export const usualPlaces = (env: Io['env']): readonly string[] => [
  'lswap.yaml',
  'config.yaml',
  join(configHome(env), 'lswap', 'config.yaml'),
]

/** A relative `$XDG_CONFIG_HOME` does not count: that is what its specification says. */
const configHome = (env: Io['env']): string => {
  const given = env['XDG_CONFIG_HOME']
  return given !== undefined && isAbsolute(given) ? given : join(env['HOME'] || homedir(), '.config')
}

const readNamed = async (file: string, by: string, { cwd }: Place): Promise<ConfigFile> => {
  const found = await readConfigFile(resolve(cwd, file), file)
  if (found === undefined) throw unreadable(`${file} (${by})`, 'it does not exist')
  return found
}

/** Not those of editors at work (`.#a.yaml`), nor of folders that only are named so. */
export const isConfigName = (name: string): boolean => /\.ya?ml$/.test(name) && !name.startsWith('.')

/** The files right in a folder, by name; the one that `--config` names is not read twice. */
const readFolder = async (
  folder: string,
  except: string | undefined,
  { cwd }: Place,
): Promise<readonly ConfigFile[]> => {
  const top = resolve(cwd, folder)
  const entries = await readdir(top, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOTDIR' ? 'it is not a folder; --config reads a file' : fileReason(error)
    throw unreadable(`${folder} (--config-dir)`, reason, error)
  })
  const names = entries.filter((entry) => !entry.isDirectory() && isConfigName(entry.name)).map(({ name }) => name)
  const first = except === undefined ? undefined : await realpath(resolve(cwd, except))
  const files: ConfigFile[] = []
  for (const name of names.toSorted()) {
    const path = join(top, name)
    if (first !== undefined && (await realpath(path).catch(() => path)) === first) continue
    const found = await readConfigFile(path, join(folder, name))
    // Gone since the folder was listed, or a link that leads nowhere
    if (found === undefined) throw unreadable(join(folder, name), 'it does not exist')
    files.push(found)
  }
  if (files.length === 0 && except === undefined) throw unreadable(`${folder} (--config-dir)`, 'it has no *.yaml files')
  return files
}
