import { createUpstream, type ForwardHandler, type Forwarding, type ForwardRequest } from '@lswap/agent'
import type { Failure, PeerConfig } from '@lswap/core'

/** The way to another server. */
export interface Peer {
  readonly config: PeerConfig
  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
  /** Ends everything that runs there. Idempotent. */
  close(failure: Failure): void
}

const SECOND_MS = 1_000
/** llama-swap's defaults: a peer may be far away. */
const CONNECT_MS = 30 * SECOND_MS
const HANDSHAKE_MS = 10 * SECOND_MS
/** 24 days: a timer that is longer fires at once. */
const NEVER_MS = 24 * 24 * 3_600 * SECOND_MS

export const createPeer = (config: PeerConfig): Peer => {
  const { proxy, apiKey, timeouts } = config
  const { connectMs = CONNECT_MS, tlsHandshakeMs = HANDSHAKE_MS, responseHeaderMs, idleMs, keepAliveMs } = timeouts
  const url = new URL(proxy)
  const isSecure = url.protocol === 'https:'
  const limitMs =
    connectMs === 0 || (isSecure && tlsHandshakeMs === 0) ? NEVER_MS : connectMs + (isSecure ? tlsHandshakeMs : 0)
  const upstream = createUpstream({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isSecure ? 443 : 80)),
    tls: isSecure,
    basePath: url.pathname.replace(/\/+$/, ''),
    connectTimeoutMs: limitMs,
    ...(apiKey === undefined ? {} : { extraHeaders: ['Authorization', `Bearer ${apiKey}`, 'x-api-key', apiKey] }),
    ...(responseHeaderMs ? { responseHeaderMs } : {}),
    ...(idleMs === undefined ? {} : { idleMs: idleMs || NEVER_MS }),
    ...(keepAliveMs === undefined ? {} : { keepAliveMs }),
  })
  return {
    config,
    forward: (request, handler) => upstream.forward(request, handler),
    close: (failure) => upstream.close(failure),
  }
}
