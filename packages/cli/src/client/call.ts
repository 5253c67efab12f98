import { LswapError } from '@lswap/core/errors'
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

/** One exchange with the router; every end but a success is an {@link LswapError}. */
export const exchange = async (
  call: Call,
  { target, signal }: { target: Target; signal: AbortSignal },
): Promise<Answer> => {
  const deadline = AbortSignal.timeout(call.deadlineMs)
  const given = call.signal === undefined ? signal : AbortSignal.any([signal, call.signal])
  try {
    const response = await send({
      origin: target.origin,
      ca: target.ca,
      path: target.prefix + call.path,
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
      },
      signal: AbortSignal.any([given, deadline]),
    })
    const status = response.statusCode ?? 0
    const text = await readText(response, target)
    const body = parse(text)
    if (status >= 400) throw answerFailure({ status, body }, target)
    if (body === undefined) throw notLswap(target, `answered ${call.path} with something else than JSON`)
    return { status, body }
  } catch (error) {
    if (error instanceof LswapError) throw error
    if (given.aborted) throw new LswapError({ code: 'cancelled', message: 'Interrupted.' })
    if (deadline.aborted) {
      const message = `${target.url} did not answer ${call.method} ${call.path} within ${duration(call.deadlineMs)}.`
      throw new LswapError({ code: 'timed_out', message })
    }
    throw connectionFailure(error, target)
  }
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
