import { LswapError } from '@lswap/core'
import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateDir } from './state-dir.ts'

const TOKEN_BYTES = 32
const MIN_CHARS = 16

/** Where the token lies that an agent makes for itself. */
const tokenPath = (stateDir: string): string => join(stateDir, 'agent.token')

/** The token in a file. Throws `invalid_config` when there is none that could be sent. */
export const readToken = async (path: string): Promise<string> => {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw noToken(path, code === 'ENOENT' ? 'it does not exist' : (code ?? message))
  }
  const token = text.trim()
  // What is wrong with it is told, never what it is
  if (!/^[\x21-\x7e]+$/.test(token)) throw noToken(path, 'it does not hold one word of ASCII characters')
  if (token.length < MIN_CHARS) throw noToken(path, `it has less than ${MIN_CHARS} characters`)
  return token
}

/** The token of this state directory, made at the first start and readable by its owner alone. */
export const ownToken = async (stateDir: string): Promise<{ readonly token: string; readonly path: string }> => {
  const path = tokenPath(stateDir)
  await makePrivateDir(stateDir)
  try {
    await writeFile(path, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw noToken(path, code ?? message)
    await chmod(path, 0o600)
  }
  return { token: await readToken(path), path }
}

const noToken = (path: string, reason: string): LswapError =>
  new LswapError({
    code: 'invalid_config',
    message: `The token file ${path} can not be used: ${reason}.`,
    hint: 'A token is one word of at least 16 characters, as `openssl rand -hex 32` prints it.',
  })
