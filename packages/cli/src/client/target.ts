import { LswapError } from '@lswap/core/errors'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { RouterFlags } from '../commands/flags.ts'
import type { Io } from '../io.ts'
import { fileReason } from '../print/file-reason.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'

const ROUTER = { what: 'a router', example: DEFAULT_URL }

/** Which router to talk to, and with which key. */
export interface Target {
  /** As a person would write it. */
  readonly url: string
  readonly origin: string
  /** Path in front of every route, without a slash at its end. */
  readonly prefix: string
  readonly key: string | undefined
  /** Certificates in PEM that are trusted besides those that Node trusts anyway. */
  readonly ca: string | undefined
}

/** From the flags, else the environment, else this machine. */
export const targetOf = async (flags: RouterFlags, io: Io): Promise<Target> => ({
  ...parseUrl(flags.url ?? (io.env['LSWAP_URL'] || DEFAULT_URL)),
  key: await readKey(flags.keyFile ?? (io.env['LSWAP_KEY_FILE'] || undefined), io.cwd),
  ca: await readCa(flags.caFile ?? (io.env['LSWAP_CA_FILE'] || undefined), io.cwd),
})

/**
 * `gpu-box:8080` counts as `http://gpu-box:8080`, `8080` and `:8080` as this machine's, as `--listen` takes them: URL
 * alone would read a number as an IPv4 address. The `/v1` of the base URL that programs are given is not the router's.
 */
export const parseUrl = (
  text: string,
  { what, example }: { readonly what: string; readonly example: string } = ROUTER,
): Omit<Target, 'key' | 'ca'> => {
  const host = /^:?\d{1,5}$/.test(text) ? `127.0.0.1:${text.replace(':', '')}` : text
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(host) ? host : `http://${host}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw usage(`"${text}" is not the address of ${what}.`, `give one like ${example}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw usage('The address holds a user name or password.', 'put the secret in a file and name that')
  }
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')
  return { url: `${url.origin}${prefix}`, origin: url.origin, prefix }
}

const readKey = async (file: string | undefined, cwd: string): Promise<string | undefined> => {
  if (file === undefined) return undefined
  const key = (await read(file, { cwd, what: 'key file' })).trim()
  // A header can not carry line breaks, and what holds them is another file than meant
  if (!/^[\u0021-\u007E]+$/.test(key)) throw usage(`The key file ${file} does not hold one key on one line.`)
  return key
}

export const readCa = async (file: string | undefined, cwd: string): Promise<string | undefined> => {
  if (file === undefined) return undefined
  const text = await read(file, { cwd, what: 'certificate file' })
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw usage(`The certificate file ${file} does not hold a certificate in PEM.`)
  }
  return text
}

const read = (file: string, { cwd, what }: { cwd: string; what: string }): Promise<string> =>
  readFile(resolve(cwd, file), 'utf8').catch((error: unknown) => {
    throw usage(`Cannot read the ${what} ${file}: ${fileReason(error)}.`)
  })

const usage = (message: string, hint?: string): LswapError =>
  new LswapError({ code: 'invalid_request', message, ...(hint === undefined ? {} : { hint }) })
