import type { Failure } from '@lswap/core'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

export interface GuardOptions {
  /** Whether the listener is reachable from this machine only. */
  readonly isLoopback: boolean
}

/**
 * Refuses what a web page of somebody else makes a browser send: by another name for this machine (DNS rebinding), or
 * across sites (a form needs no preflight). Programs send neither header and pass.
 */
export const guardFailure = (headers: IncomingHttpHeaders, { isLoopback }: GuardOptions): Failure | undefined => {
  if (isLoopback && !isLocalName(hostnameOf(headers.host ?? ''))) {
    return {
      code: 'forbidden',
      message: `The Host header "${shown(headers.host)}" is not a name of this machine.`,
      hint: 'Use localhost or an IP address.',
    }
  }
  if (headers['sec-fetch-site'] === 'cross-site' || !isOwnOrigin(headers.origin, headers.host)) {
    return {
      code: 'forbidden',
      message: `Requests from pages of another site (${shown(headers.origin ?? 'cross-site')}) are refused.`,
      hint: 'Send the request from a program, or from a page of this address.',
    }
  }
  return undefined
}

const shown = (text: string | undefined): string => (text ?? '').slice(0, 200)

/** The name without port and brackets, in lower case. */
const hostnameOf = (host: string): string => {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase())
  return match?.[1] ?? match?.[2] ?? ''
}

const isLocalName = (name: string): boolean =>
  isIP(name) !== 0 || /^(?:.+\.)?localhost\.?$/.test(name) || /^.+\.local\.?$/.test(name)

const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean => {
  if (origin === undefined) return true
  const own = `http://${host ?? ''}`
  if (!URL.canParse(origin) || !URL.canParse(own)) return false
  const asked = new URL(origin)
  // A proxy in front may speak TLS, so only the name and port count
  return /^https?:$/.test(asked.protocol) && asked.host === new URL(own).host
}
