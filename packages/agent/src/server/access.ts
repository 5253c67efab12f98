import type { Failure } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

export interface AccessOptions {
  readonly token: string
  /** Only programs of this machine reach the listener. */
  readonly isLoopback: boolean
}

/** Of one length whatever is compared, so that the time tells nothing about a token. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Why a request is not taken on. */
export const accessFailure = (
  { headers }: Pick<IncomingMessage, 'headers'>,
  options: AccessOptions,
): Failure | undefined => {
  // Programs send neither; a page of somebody else makes a browser send both
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return FROM_A_PAGE
  if (options.isLoopback && !isOwnName(headers.host ?? '')) return FOREIGN_HOST
  const given = headers[AGENT_HEADERS.token]
  if (typeof given !== 'string') return NO_TOKEN
  return timingSafeEqual(digest(given), digest(options.token)) ? undefined : WRONG_TOKEN
}

const isOwnName = (host: string): boolean => {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase())
  const name = match?.[1] ?? match?.[2] ?? ''
  return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')
}

const FROM_A_PAGE: Failure = { code: 'forbidden', message: 'An agent takes no requests from web pages.' }
const FOREIGN_HOST: Failure = {
  code: 'forbidden',
  message: 'The Host header is not a name of this machine.',
  hint: 'Use localhost or an IP address.',
}
const NO_TOKEN: Failure = {
  code: 'unauthorized',
  message: `The token of this agent is missing: send it as ${AGENT_HEADERS.token}.`,
  hint: 'It lies in agent.token in the state directory of the agent; tokenFile in the router names a copy.',
}
const WRONG_TOKEN: Failure = { ...NO_TOKEN, message: 'This is not the token of this agent.' }
