import { LswapError } from '@lswap/core'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Io } from '../../io.ts'

export interface ConfigText {
  /** As a person would name it, in messages. */
  readonly file: string
  readonly text: string
}

/** The configuration file: `--config`, else `$LSWAP_CONFIG`, else the first that exists of the usual places. */
export const locateConfig = async (flag: string | undefined, io: Pick<Io, 'env' | 'cwd'>): Promise<ConfigText> => {
  const named = flag ?? (io.env['LSWAP_CONFIG'] || undefined)
  if (named !== undefined)
    return readNamed(named, { cwd: io.cwd, by: flag === undefined ? '$LSWAP_CONFIG' : '--config' })
  const places = ['lswap.yaml', 'config.yaml', join(configHome(io.env), 'lswap', 'config.yaml')]
  for (const file of places) {
    const text = await readIfPresent(resolve(io.cwd, file))
    if (text !== undefined) return { file, text }
  }
  throw new LswapError({
    code: 'invalid_config',
    message: `No configuration found. Looked for $LSWAP_CONFIG (not set), ${places.map((file) => resolve(io.cwd, file)).join(', ')}.`,
    hint: 'write one of them or give --config FILE; `lswap serve --demo` tries lswap with two simulated models',
  })
}

const configHome = (env: Io['env']): string => env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')

const readNamed = async (file: string, { cwd, by }: { cwd: string; by: string }): Promise<ConfigText> => {
  try {
    return { file, text: await readFile(resolve(cwd, file), 'utf8') }
  } catch (error) {
    throw unreadable(`${file} (${by})`, error)
  }
}

/** A file that is there and can not be read is an error, not a reason to look further. */
const readIfPresent = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(file, error)
  }
}

const unreadable = (what: string, cause: unknown): LswapError => {
  const { code, message } = cause as NodeJS.ErrnoException
  const reason = code === 'ENOENT' ? 'it does not exist' : (code ?? message)
  return new LswapError(
    { code: 'invalid_config', message: `Cannot read the configuration ${what}: ${reason}.` },
    { cause },
  )
}
