import { LswapError } from '@lswap/core'
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { TlsIdentity } from '../../router/tls.ts'
import { fileReason } from '../../print/file-reason.ts'

export interface TlsFlags {
  readonly tlsCert?: string
  readonly tlsKey?: string
}

/** The certificate and key of the listener; undefined: plain HTTP. What is wrong is found here and not by the first client. */
export const readTls = async ({ tlsCert, tlsKey }: TlsFlags, cwd: string): Promise<TlsIdentity | undefined> => {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    const [given, missing] = tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key']
    throw invalid(`${given} is given without ${missing}.`, 'TLS needs a certificate and its key')
  }
  const cert = await read(tlsCert, { cwd, what: 'certificate' })
  const key = await read(tlsKey, { cwd, what: 'key' })
  const certificate = parse(tlsCert, 'a certificate in PEM', () => new X509Certificate(cert))
  const secret = parse(tlsKey, 'an unencrypted private key in PEM', () => createPrivateKey(key))
  if (!belongs(certificate, secret))
    throw invalid(`The TLS key ${tlsKey} is not the key of the certificate ${tlsCert}.`)
  return { cert, key }
}

const read = async (file: string, { cwd, what }: { cwd: string; what: string }): Promise<string> => {
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw invalid(`Cannot read the TLS ${what} ${file}: ${fileReason(error)}.`)
  }
}

const parse = <Parsed>(file: string, what: string, make: () => Parsed): Parsed => {
  try {
    return make()
  } catch {
    // What OpenSSL says of it helps nobody, and could hold parts of a key
    throw invalid(`${file} does not hold ${what}.`)
  }
}

const belongs = (certificate: X509Certificate, key: KeyObject): boolean => {
  try {
    return certificate.checkPrivateKey(key)
  } catch {
    return false
  }
}

const invalid = (message: string, hint?: string): LswapError =>
  new LswapError({ code: 'invalid_config', message, ...(hint === undefined ? {} : { hint }) })
