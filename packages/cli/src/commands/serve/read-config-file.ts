import { LswapError, type ConfigFile } from '@lswap/core'
import { readFile, stat } from 'node:fs/promises'
import { decodeConfig } from './decode-config.ts'
import { fileReason } from '../../print/file-reason.ts'

/** A configuration has kilobytes; what is larger than this (a model, a log) is another file than meant. */
const MAX_BYTES = 32 * 1024 * 1024

/** Reads one file of a configuration. Throws `invalid_config` when it can not be read; undefined: it does not exist. */
export const readConfigFile = async (path: string, file: string): Promise<ConfigFile | undefined> => {
  try {
    const found = await stat(path)
    const problem = problemOf(found)
    // A pipe that nobody writes to would be waited for for ever, and a reload could not read it again
    if (problem !== undefined) throw unreadable(file, problem)
    return { file, ...decodeConfig(await readFile(path)) }
  } catch (error) {
    if (error instanceof LswapError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(file, fileReason(error), error)
  }
}

interface Found {
  isFile(): boolean
  isDirectory(): boolean
  isFIFO(): boolean
  readonly size: number
}

const problemOf = (found: Found): string | undefined => {
  if (found.isDirectory()) return 'it is a folder; --config-dir reads the *.yaml files of one'
  if (found.isFIFO()) return 'it is a pipe; a configuration is a file that can be read again'
  if (!found.isFile()) return 'it is not a regular file'
  return found.size > MAX_BYTES ? `it has ${found.size} bytes; that is no configuration` : undefined
}

export const unreadable = (what: string, reason: string, cause?: unknown): LswapError =>
  new LswapError({ code: 'invalid_config', message: `Cannot read the configuration ${what}: ${reason}.` }, { cause })
