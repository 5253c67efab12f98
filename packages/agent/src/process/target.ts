import type { ConnectionTimeouts, ModelConfig } from '@lswap/core'
import type { UpstreamOptions } from '../forward/upstream.ts'

/** Where the engine's HTTP is. */
export interface EngineTarget {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
  /** Comes before every path; empty, or begins with `/` and does not end with one. */
  readonly basePath: string
  /** What every request to the engine carries, raw, in place of what clients send by these names: the engine's own key. */
  readonly extraHeaders?: readonly string[]
  /** The limits of connections that a file gives, as the forwarder calls them. */
  readonly limits?: ConnectionLimits
}

export type ConnectionLimits = Pick<UpstreamOptions, 'connectTimeoutMs' | 'idleMs' | 'keepAliveMs' | 'responseHeaderMs'>

const PORT_MACRO = '${PORT}'

export const expandPort = (text: string, port: number): string => text.replaceAll(PORT_MACRO, String(port))

/** Whether the agent chooses the port: the command, its environment or the address says `${PORT}`. */
export const choosesPort = (model: ModelConfig): boolean =>
  [model.cmd, model.proxy ?? '', ...Object.values(model.env)].some((text) => text.includes(PORT_MACRO))

/** The port that a command without `${PORT}` and without `proxy` names itself. */
const portArgument = (args: readonly string[]): number | undefined => {
  const at = args.findIndex((arg) => arg === '--port' || arg.startsWith('--port='))
  const text = at === -1 ? undefined : args[at]?.includes('=') ? args[at].slice('--port='.length) : args[at + 1]
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** Where the engine will listen, given what `${PORT}` stands for. Throws a plain error on an address that is none. */
export const engineTarget = (model: ModelConfig, args: readonly string[], port: number): EngineTarget => ({
  ...placeOf(model, args, port),
  ...(model.apiKey === undefined ? {} : { extraHeaders: ['Authorization', `Bearer ${model.apiKey}`] }),
  ...(model.timeouts === undefined ? {} : { limits: limitsOf(model.timeouts) }),
})

/** 24 days: a timer that is longer fires at once. */
const NEVER_MS = 24 * 24 * 3_600_000

/** 0 in a file is "no limit". */
const limitsOf = ({ connectMs, idleMs, keepAliveMs, responseHeaderMs }: ConnectionTimeouts): ConnectionLimits => ({
  ...(connectMs === undefined ? {} : { connectTimeoutMs: connectMs || NEVER_MS }),
  ...(idleMs === undefined ? {} : { idleMs: idleMs || NEVER_MS }),
  ...(keepAliveMs === undefined ? {} : { keepAliveMs }),
  ...(responseHeaderMs ? { responseHeaderMs } : {}),
})

/** The headers of a request of our own. */
export const headersFor = ({ extraHeaders: [name, value] = [] }: EngineTarget): Readonly<Record<string, string>> =>
  name === undefined || value === undefined ? {} : { [name]: value }

const placeOf = (model: ModelConfig, args: readonly string[], port: number): EngineTarget => {
  if (model.proxy === undefined) {
    const own = choosesPort(model) ? port : (portArgument(args) ?? model.port)
    return { host: '127.0.0.1', port: own, basePath: '' }
  }
  const url = new URL(expandPort(model.proxy, port))
  if (url.protocol !== 'http:') throw new Error(`proxy ${model.proxy} is not an http:// address`)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    basePath: url.pathname.replace(/\/+$/, ''),
  }
}

/** Whether the address is on this machine, so that what listens there can be checked. */
export const isLoopback = (target: EngineTarget): boolean =>
  target.host === 'localhost' || target.host === '::1' || target.host === '0.0.0.0' || target.host.startsWith('127.')

export const targetUrl = (target: EngineTarget): string => {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host
  return `http://${host}:${target.port}${target.basePath}`
}
