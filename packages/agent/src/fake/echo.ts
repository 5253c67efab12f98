import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendJson } from './answer.ts'

/** Tells what arrived: the proof that a router changed nothing on the way. */
export async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256')
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    hash.update(part)
    length += part.length
  }
  sendJson(response, {
    method: request.method,
    url: request.url,
    headers: request.rawHeaders,
    length,
    sha256: hash.digest('hex'),
  })
}
