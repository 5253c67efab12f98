import { LswapError, type Failure } from '@lswap/core'
import { AGENT_HEADERS, refusedSchema } from '@lswap/core/protocol'
import { Pool, type Dispatcher } from 'undici'
import type * as z from 'zod'
import type { ForwardTimers } from '../forward/timers.ts'

export interface RpcOptions {
  /** Scheme, name and port. */
  readonly origin: string
  readonly token: string
  /** Certificates that are trusted, in PEM; undefined: those that Node trusts. */
  readonly ca: string | undefined
  readonly timers: ForwardTimers
  /** Something came from the agent. */
  readonly onHeard: () => void
  /** The term of this router, once it has one. */
  readonly term: () => number | undefined
}

export interface RpcCall {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly path: string
  readonly body?: object
  /** From the call to the end of the answer; undefined: its caller ends it. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  /**
   * A HEAD on a connection that lives on. The library ends it after each, since some servers send a body nevertheless; then every sign
   * of life opens another one, with all that TLS needs for it.
   */
  readonly keepsConnection?: boolean
}

export interface RpcAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Calls to one agent. What fails throws an {@link LswapError}; what the agent refuses has its code. */
export interface Rpc {
  /** The answer without what it holds. */
  head(call: RpcCall): Promise<RpcAnswer>
  json<Schema extends z.ZodType>(call: RpcCall, schema: Schema): Promise<z.infer<Schema>>
  text(call: RpcCall): Promise<string>
  /** Text as it comes, cut anywhere. `onHead`: the agent has taken the call on. */
  stream(call: RpcCall, onHead?: () => void): AsyncGenerator<string, void>
  close(): void
}

const CONNECT_MS = 2_000

export const createRpc = ({ origin, token, ca, timers, onHeard, term }: RpcOptions): Rpc => {
  const pool = new Pool(origin, {
    // Deadlines are ours: a load may take many minutes
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_MS, ...(ca === undefined ? {} : { ca }) },
    keepAliveTimeout: 10_000,
  })

  const open = async (
    { method, path, body, keepsConnection }: RpcCall,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> => {
    const own = term()
    const answer = await pool.request({
      method,
      path,
      signal,
      headers: {
        [AGENT_HEADERS.token]: token,
        ...(own === undefined ? {} : { [AGENT_HEADERS.term]: String(own) }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(keepsConnection === true && { reset: false }),
    })
    onHeard()
    if (answer.statusCode === 200) return answer
    throw new LswapError(refusalIn(answer.statusCode, method === 'HEAD' ? '' : await answer.body.text()))
  }

  /** With its deadline, and errors of the connection told as such. */
  const within = async <Result>(call: RpcCall, use: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    const limit = new AbortController()
    const { deadlineMs, signal } = call
    const cancel =
      deadlineMs === undefined ? undefined : timers.after(deadlineMs, () => limit.abort(late(call, deadlineMs)))
    try {
      return await use(signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]))
    } catch (error) {
      throw error instanceof LswapError ? error : unreachable(origin, error)
    } finally {
      cancel?.()
    }
  }

  return {
    head: (call) =>
      within(call, async (signal) => {
        const { statusCode, headers, body } = await open(call, signal)
        await body.dump()
        return { status: statusCode, headers }
      }),
    json: (call, schema) =>
      within(call, async (signal) => {
        const { body } = await open(call, signal)
        const checked = schema.safeParse(await body.json())
        if (!checked.success) throw new LswapError(unreadable(call.path, checked.error.issues[0]?.path ?? []))
        onHeard()
        return checked.data
      }),
    text: (call) => within(call, async (signal) => (await open(call, signal)).body.text()),
    stream: async function* (call, onHead) {
      const decoder = new TextDecoder()
      const ended = new AbortController()
      const signal = call.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, call.signal])
      try {
        const { body } = await open(call, signal)
        onHead?.()
        for await (const chunk of body as AsyncIterable<Buffer>) {
          onHeard()
          yield decoder.decode(chunk, { stream: true })
        }
      } catch (error) {
        throw error instanceof LswapError ? error : unreachable(origin, error)
      } finally {
        ended.abort()
      }
    },
    close: () => {
      pool.destroy().catch(() => {})
    },
  }
}

const refusalIn = (status: number, text: string): Failure => {
  try {
    return refusedSchema.parse(JSON.parse(text)).error
  } catch {
    if (status === 401) return { code: 'unauthorized', message: 'the agent does not accept the token of its tokenFile' }
    return { code: 'host_unreachable', message: `the agent answered ${status}` }
  }
}

const late = ({ method, path }: RpcCall, ms: number): LswapError =>
  new LswapError({
    code: 'timed_out',
    message: `the agent did not answer ${method} ${path.split('?', 1)[0]} in ${ms / 1000} s`,
  })

const unreachable = (origin: string, error: unknown): LswapError => {
  const { code, message } = error as NodeJS.ErrnoException
  return new LswapError(
    {
      code: 'host_unreachable',
      message: `the agent at ${origin} ${REASONS[code ?? ''] ?? `can not be reached: ${code ?? message}`}`,
    },
    { cause: error },
  )
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: it does not run',
  ECONNRESET: 'reset the connection',
  UND_ERR_SOCKET: 'closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'does not accept connections',
  ENOTFOUND: 'has a name that is not known',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate of its own; name it as tls.caFile',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an authority that is not trusted; name that as tls.caFile',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that tls.caFile does not vouch for',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that tls.caFile does not vouch for',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet: is a clock wrong?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name than that of its url',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS: its url begins with http',
  EPROTO: 'does not speak TLS as it should: does its url begin with http?',
  EHOSTUNREACH: 'is on a machine that can not be reached',
  ENETUNREACH: 'is on a network that can not be reached',
  EAI_AGAIN: 'has a name that can not be looked up now',
}

const unreadable = (path: string, at: readonly PropertyKey[]): Failure => ({
  code: 'host_unreachable',
  message: `the agent's answer to ${path.split('?', 1)[0]} can not be read at ${at.map(String).join('.') || 'its root'}`,
})
