import type { Failure } from '@lswap/core'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { isAllowedOrigin } from './access/cors.ts'

export interface GuardOptions {
  /** Whether the listener is reachable from this machine only. */
  readonly isLoopback: boolean
  /** More names of this machine, in lower case; `*.` stands for every name below. */
  readonly allowedHosts: readonly string[]
  /** Origins of other sites whose pages may send requests. */
  readonly cors: readonly string[]
}

/**
 * Refuses what a web page of somebody else makes a browser send: by another name for this machine (DNS rebinding), or
 * across sites (a form needs no preflight). Programs send neither header and pass.
 */
export const guardFailure = (
  headers: IncomingHttpHeaders,
  { isLoopback, allowedHosts, cors }: GuardOptions,
): Failure | undefined => {
  if (isLoopback && !isOurName(headers.host ?? '', allowedHosts)) {
    return {
      code: 'forbidden',
      message: `The Host header "${shown(headers.host)}" is not a name of this machine.`,
      hint: 'Use localhost or an IP address, or list the name under allowedHosts.',
    }
  }
  if (isAllowedOrigin(headers.origin, cors)) return undefined
  if (headers['sec-fetch-site'] === 'cross-site' || !isOwnOrigin(headers.origin, headers.host)) {
    return {
      code: 'forbidden',
      message: `Requests from pages of another site (${shown(headers.origin ?? 'cross-site')}) are refused.`,
      hint: 'Send the request from a program, or list the origin of the page under cors.',
    }
  }
  return undefined
}

const shown = (text: string | undefined): string => (text ?? '').slice(0, 200)

/** The text that was found to be a name of this machine last: clients say the same again and again, and to look closely takes four expressions. */
let lastLocal: string | undefined

const isOurName = (host: string, allowedHosts: readonly string[]): boolean => {
  if (host === lastLocal) return true
  const name = hostnameOf(host).replace(/\.$/, '')
  if (!isLocalName(name)) return allowedHosts.some((allowed) => isNamed(allowed, name))
  lastLocal = host
  return true
}

/** The name without port and brackets, in lower case; empty: it has what no name has, which others may cut it at (`evil.com#.localhost`). */
const hostnameOf = (host: string): string => {
  const match = /^(?:\[([^\]]*)\]|([\w.-]*))(?::\d*)?$/.exec(host.trim().toLowerCase())
  return match?.[1] ?? match?.[2] ?? ''
}

const isNamed = (allowed: string, name: string): boolean =>
  allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) && name.length >= allowed.length : name === allowed

const isLocalName = (name: string): boolean =>
  isIP(name) !== 0 || /^(?:.+\.)?localhost$/.test(name) || /^.+\.local$/.test(name)

const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean => {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const asked = new URL(origin)
  // A proxy in front may speak TLS, so only the name and port count, and which port goes without saying is told by the page's scheme
  const own = `${asked.protocol}//${host ?? ''}`
  return /^https?:$/.test(asked.protocol) && URL.canParse(own) && asked.host === new URL(own).host
}
