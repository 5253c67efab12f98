import type { Failure, RequestId } from '@lswap/core'
import type { Socket } from 'node:net'
import type { Rights } from './access/rights.ts'
import type { ClientRequest, ClientResponse } from './messages.ts'
import type { EarlyBytes } from './upgrade/early-bytes.ts'
import type { Tokens } from './usage/metered.ts'

/** What the log line and the metrics of a request tell; filled in as it becomes known. */
export interface CallFacts {
  route: string
  /** The name of its key. */
  caller?: string | undefined
  model?: string | undefined
  /** As it was asked for. */
  priority?: number | undefined
  host?: string | undefined
  waitMs?: number | undefined
  /** Read when it is asked for; undefined: its answer tells of none. */
  tokens?: (() => Tokens) | undefined
  attempts?: number | undefined
  /** Why it failed, when lswap says so. */
  failure?: Failure | undefined
}

/** Whoever serves a call. */
export interface Follower {
  gone(): void
  cut(failure: Failure): void
}

/** One HTTP request from its head to the end of its answer. */
export interface Call {
  readonly id: RequestId
  readonly req: ClientRequest
  readonly res: ClientResponse
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly path: string
  readonly query: string
  readonly startedAt: number
  readonly facts: CallFacts
  /** What its key allows; known once it was admitted. */
  rights: Rights
  /** Calls back once when it is over, however that comes. */
  whenOver(listener: () => void): void
  /**
   * Whom the call tells from now on. Handed over and not assigned: V8 puts a function that is written where it is assigned to a
   * property into the old generation, and the whole request with it until the next full collection (9 KB each, pauses of 25 ms).
   */
  follow(follower: Follower): void
  /** The client leaves before its answer is complete. Once. */
  onGone(): void
  /** The router can wait no longer. */
  onCut(failure: Failure): void
  /** The checks that need no body are passed: a client that waits for `100 Continue` gets it. */
  proceed(): void
  /** Cuts the connection so that the client notices. */
  reset(): void
  /** There where the client asks to switch protocols. */
  readonly upgraded: UpgradedSocket | undefined
  /** The engine did: the connection is no HTTP any more. */
  isSwitched: boolean
}

/** The connection of a request that asks to switch protocols: node:http reads no further, and answers to it are the last. */
export interface UpgradedSocket {
  readonly socket: Socket
  readonly early: EarlyBytes
}

/** Splits a request target; absolute ones (as proxies get) count by their path. */
export const splitTarget = (url: string): Pick<Call, 'target' | 'path' | 'query'> => {
  const target = url.startsWith('/') ? url : relative(url)
  const mark = target.indexOf('?')
  return mark === -1
    ? { target, path: target, query: '' }
    : { target, path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** As it came: a parser of URLs would resolve dots and escape characters, and the engine is to judge those. */
const relative = (url: string): string => {
  const [authority] = /^https?:\/\/[\w.:[\]-]*(?=[/?#]|$)/i.exec(url) ?? []
  if (authority === undefined) return url
  const rest = url.slice(authority.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
