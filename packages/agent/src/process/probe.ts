import { request } from 'node:http'
import { connect } from 'node:net'
import { headersFor, targetUrl } from './target.ts'
import type { EngineTarget } from './target.ts'

const PROBE_CONNECT_MS = 1_000
const PROBE_ANSWER_MS = 5_000

/** What one probe found out; `detail` is for people: the status, or why there was none. */
export interface ProbeResult {
  readonly ready: boolean
  readonly detail: string
}

/** One probe on its way. Cancelling it leaves `result` unsettled. */
export interface Probe {
  readonly result: Promise<ProbeResult>
  cancel(): void
}

export interface ProbeLimits {
  readonly connectMs: number
  readonly answerMs: number
}

const PROBE_LIMITS: ProbeLimits = { connectMs: PROBE_CONNECT_MS, answerMs: PROBE_ANSWER_MS }

const MEANINGS: Readonly<Record<number, string>> = {
  401: ', it wants a key: set the apiKey of the model',
}

/** Asks for `path`; ready means exactly 200. Always on a fresh connection: an engine that is still loading closes it. */
const probeHttp = (target: EngineTarget, path: string, limits: ProbeLimits): Probe => {
  const { host, port, basePath } = target
  const asked = request({ host, port, path: basePath + path, headers: headersFor(target), agent: false })
  const result = new Promise<ProbeResult>((resolve) => {
    const settle = (ready: boolean, detail: string): void => {
      clearTimeout(timer)
      resolve({ ready, detail })
      asked.destroy()
    }
    let timer = setTimeout(() => settle(false, `no connection within ${limits.connectMs} ms`), limits.connectMs)
    asked.on('socket', (socket) => {
      socket.on('connect', () => {
        clearTimeout(timer)
        timer = setTimeout(() => settle(false, `no answer within ${limits.answerMs} ms`), limits.answerMs)
      })
    })
    asked.on('response', ({ statusCode = 0 }) =>
      settle(statusCode === 200, `status ${statusCode}${MEANINGS[statusCode] ?? ''}`),
    )
    asked.on('error', (error) => settle(false, error.message))
    asked.on('close', () => clearTimeout(timer))
    asked.end()
  })
  return { result, cancel: () => asked.destroy() }
}

/** For engines without a health route: ready means that somebody accepts connections. */
const probeTcp = (target: EngineTarget, limits: ProbeLimits): Probe => {
  const socket = connect({ host: target.host, port: target.port })
  const result = new Promise<ProbeResult>((resolve) => {
    const settle = (ready: boolean, detail: string): void => {
      resolve({ ready, detail })
      socket.destroy()
    }
    const timer = setTimeout(() => settle(false, `no connection within ${limits.connectMs} ms`), limits.connectMs)
    socket.on('connect', () => settle(true, 'connected'))
    socket.on('error', (error) => settle(false, error.message))
    socket.on('close', () => clearTimeout(timer))
  })
  return { result, cancel: () => socket.destroy() }
}

/** A way to ask one engine whether it is ready. */
export interface Prober {
  /** What is asked, for error messages. */
  readonly url: string
  start(): Probe
}

export const createProber = (
  target: EngineTarget,
  checkEndpoint: string,
  limits: ProbeLimits = PROBE_LIMITS,
): Prober => {
  if (checkEndpoint === 'none') {
    return { url: targetUrl(target), start: () => probeTcp(target, limits) }
  }
  const path = checkEndpoint.startsWith('/') ? checkEndpoint : `/${checkEndpoint}`
  return { url: targetUrl(target) + path, start: () => probeHttp(target, path, limits) }
}
