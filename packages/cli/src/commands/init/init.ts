import { LswapError } from '@lswap/core'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { discoveredConfig } from '../../discover/config-text.ts'
import { discover } from '../../discover/discover.ts'
import { missingFor } from '../../discover/missing.ts'
import { remarksOn } from '../../discover/remarks.ts'
import { findConfig } from '../serve/locate-config.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { InitFlags } from './command.ts'

const STDOUT = '-'

/** Writes a configuration for what is on this machine, and never over another one unless told to. */
export const init = async (file: string, { force }: InitFlags, { io, say }: TaskContext): Promise<Outcome> => {
  const { platform } = process
  const found = await discover({ io, platform })
  for (const line of remarksOn(found)) say(line)
  const missing = missingFor(found, platform)
  if (missing !== undefined || found.engine === undefined) throw missing ?? new Error('no engine, and nothing missing')
  const text = discoveredConfig(found.engine, found.models)
  if (file !== STDOUT) {
    await write(resolve(io.cwd, file), { file, text, force: force === true })
    const models = found.models.length === 1 ? '1 model' : `${found.models.length} models`
    say(`${file}: ${models}; next: ${await servedBy(file, io)}`)
  }
  return {
    data: {
      file: file === STDOUT ? null : file,
      engine: found.engine,
      models: found.models,
      passedOver: found.passedOver,
      text,
    },
    text: file === STDOUT ? text : '',
    exitCode: 0,
  }
}

/** The command that serves the file: the short one only where it is the first that is looked for. */
const servedBy = async (file: string, io: TaskContext['io']): Promise<string> => {
  const read = await findConfig({}, io).catch(() => undefined)
  return read !== undefined && resolve(io.cwd, read.name) === resolve(io.cwd, file)
    ? 'lswap serve'
    : `lswap serve --config ${file}`
}

interface Writing {
  readonly file: string
  readonly text: string
  readonly force: boolean
}

const write = async (path: string, { file, text, force }: Writing): Promise<void> => {
  try {
    // `wx` fails where something is, in one step with writing it
    await writeFile(path, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new LswapError({
        code: 'file_exists',
        message: `${file} exists already.`,
        hint: 'Give --force to replace it, or another name; `lswap init -` shows what would be written.',
      })
    }
    const reason = code === 'ENOENT' ? 'its folder does not exist' : (code ?? message)
    throw new LswapError({ code: 'invalid_config', message: `Cannot write ${file}: ${reason}.` }, { cause: error })
  }
}
