import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { splitTarget } from '../call.ts'
import { findInference } from '../inference-route.ts'
import { UPSTREAM } from '../upstream-route.ts'

/**
 * Whether a request that asks to switch protocols can be an engine's to answer. HTTP itself is ours, whatever its version: who
 * offers it (h2c) is answered in the one that was used.
 */
export const isForEngine = ({ method, url, headers }: IncomingMessage): boolean => {
  if (method !== 'GET' || hasBody(headers) || /(?:^|,)\s*(?:h2c|https?)\b/i.test(headers.upgrade ?? '')) return false
  const { path } = splitTarget(url ?? '/')
  return path.startsWith(UPSTREAM) || findInference(path)?.some((entry) => entry.method === 'GET') === true
}

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

export const isWebSocket = ({ upgrade = '' }: IncomingHttpHeaders): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')
