import { LswapError } from '@lswap/core/errors'
import type { IncomingMessage } from 'node:http'
import { duration } from '../print/units.ts'
import { answerFailure } from './answer-failure.ts'
import { connectionFailure } from './connection-failure.ts'
import { send } from './http.ts'
import type { Target } from './target.ts'

export interface Call {
  readonly method: 'GET' | 'POST'
  /** Route below the router's address, encoded. */
  readonly path: string
  /** For the whole exchange, in milliseconds. */
  readonly deadlineMs: number
  /** Gives the exchange up, like Ctrl-C. */
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** No answer of the router comes near this; it bounds what a stranger on the port can make us hold. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

export interface Reach {
  readonly target: Target
  readonly signal: AbortSignal
}

/** One exchange with the router; every end but a success is an {@link LswapError}. */
export const exchange = async (call: Call, { target, signal }: Reach): Promise<Answer> => {
  const deadline = AbortSignal.timeout(call.deadlineMs)
  const given = call.signal === undefined ? signal : AbortSignal.any([signal, call.signal])
  try {
    const response = await ask(call, { target, signal: AbortSignal.any([given, deadline]) })
    const body = parse(await readText(response, target))
    if (body === undefined) throw notLswap(target, `answered ${call.path} with something else than JSON`)
    return { status: response.statusCode ?? 0, body }
  } catch (error) {
    if (deadline.aborted && !given.aborted) {
      const message = `${target.url} did not answer ${call.method} ${call.path} within ${duration(call.deadlineMs)}.`
      throw new LswapError({ code: 'timed_out', message })
    }
    throw failureIn(error, { target, signal: given })
  }
}

export interface StreamCall {
  readonly path: string
  readonly accept: string
  readonly headers?: Readonly<Record<string, string>>
  /** Gives the stream up, like Ctrl-C. */
  readonly signal?: AbortSignal
}

/** An answer without an end, piece by piece, as text of whole characters; its end is the router's. Fails like {@link exchange}. */
export async function* stream(call: StreamCall, { target, signal }: Reach): AsyncGenerator<string, void> {
  const { path, accept, headers } = call
  const given = call.signal === undefined ? signal : AbortSignal.any([signal, call.signal])
  try {
    // JSON is named first for the sake of errors: as text their code, and that it is lswap who speaks, would be lost
    const asked: Ask = { method: 'GET', path, accept: `application/json, ${accept}`, ...(headers && { headers }) }
    const response = await ask(asked, { target, signal: given })
    response.setEncoding('utf8')
    for await (const text of response as AsyncIterable<string>) yield text
  } catch (error) {
    throw failureIn(error, { target, signal: given })
  }
}

interface Ask {
  readonly method: string
  readonly path: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The head of an answer that is no error. */
const ask = async ({ method, path, accept, headers }: Ask, { target, signal }: Reach): Promise<IncomingMessage> => {
  const response = await send({
    origin: target.origin,
    ca: target.ca,
    path: target.prefix + path,
    method,
    headers: {
      ...headers,
      accept: accept ?? 'application/json',
      ...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
    },
    signal,
  })
  const status = response.statusCode ?? 0
  if (status < 400) return response
  throw answerFailure({ status, body: parse(await readText(response, target)) }, target)
}

const failureIn = (error: unknown, { target, signal }: Reach): LswapError => {
  if (error instanceof LswapError) return error
  if (signal.aborted) return new LswapError({ code: 'cancelled', message: 'Interrupted.' })
  return connectionFailure(error, target)
}

const readText = async (body: AsyncIterable<Uint8Array>, target: Target): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw notLswap(target, `sent more than ${MAX_BODY_BYTES} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const notLswap = (target: Target, what: string): LswapError =>
  new LswapError({
    code: 'unreachable',
    message: `What listens at ${target.url} is not lswap: it ${what}.`,
    hint: 'give the address of the router with --url or $LSWAP_URL',
  })
