import { LswapError } from '@lswap/core/errors'
import type { Target } from './target.ts'

const UNTRUSTED = 'its certificate is not trusted here'
const CLOSED = 'the connection was closed before the answer'

/** What the codes of sockets mean to a person. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host name',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'the connection timed out',
  ECONNRESET: CLOSED,
  EPROTO: 'what listens there does not speak TLS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
}

const isLocal = (target: Target): boolean => /^https?:\/\/(localhost|127\.|\[::1\])/.test(target.origin)

/** The router can not be reached, or went away: says where it was looked for and what to do. */
export const connectionFailure = (error: unknown, target: Target): LswapError => {
  const code = codeOf(error)
  const reason = code.startsWith('HPE_') ? 'what listens there does not speak HTTP' : (REASONS[code] ?? textOf(error))
  return new LswapError(
    {
      code: 'unreachable',
      message: `Cannot reach lswap at ${target.url}: ${reason}.`,
      hint: hintFor(reason, target),
    },
    { cause: error },
  )
}

const hintFor = (reason: string, target: Target): string => {
  if (reason === UNTRUSTED) {
    return 'give it, or the one that it was made with, by --ca-file FILE, $LSWAP_CA_FILE or $NODE_EXTRA_CA_CERTS'
  }
  // What speaks TLS hangs up on who does not
  if (reason === CLOSED && target.origin.startsWith('http:'))
    return 'if it was given --tls-cert, its address begins with https://'
  return isLocal(target)
    ? 'start it with `lswap serve`, or give its address with --url or $LSWAP_URL'
    : 'check the address (--url, $LSWAP_URL) and that `lswap serve` listens beyond its own machine there'
}

const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
