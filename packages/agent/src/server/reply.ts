import { ERRORS, LswapError, type Failure } from '@lswap/core'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as z from 'zod'

/** Orders name models; none comes near. */
const MAX_BODY_BYTES = 1024 * 1024

export const sendJson = (res: ServerResponse, document: object): void => {
  if (!res.headersSent) res.writeHead(200, { 'content-type': 'application/json' })
  res.end(`${JSON.stringify(document)}\n`)
}

export const sendFailure = (res: ServerResponse, failure: Failure): void => {
  if (res.headersSent) return void res.destroy()
  res.writeHead(ERRORS[failure.code].status, { 'content-type': 'application/json' })
  res.end(`${JSON.stringify({ error: failure })}\n`)
  return undefined
}

const refuse = (code: 'invalid_request' | 'invalid_json' | 'body_too_large', message: string): LswapError =>
  new LswapError({ code, message })

/** Reads the body of a command. Throws what is wrong with it, with the path of a value of a wrong type. */
export const readCommand = async <Schema extends z.ZodType>(
  req: IncomingMessage,
  schema: Schema,
): Promise<z.infer<Schema>> => {
  // A form of a web page can not say so without being asked first whether it may
  if (!/^application\/json\s*(?:;|$)/i.test(req.headers['content-type'] ?? '')) {
    throw refuse('invalid_request', 'A command needs Content-Type: application/json.')
  }
  const checked = schema.safeParse(await readJson(req))
  if (checked.success) return checked.data
  const { path, message } = checked.error.issues[0] ?? { path: [], message: 'not what this command needs' }
  throw refuse('invalid_request', `${path.map(String).join('.') || 'body'}: ${message}`)
}

const readJson = async (req: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw refuse('body_too_large', `A command has at most ${MAX_BODY_BYTES} bytes.`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw refuse('invalid_json', 'The body is not JSON.')
  }
}
