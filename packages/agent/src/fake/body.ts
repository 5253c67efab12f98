import type { IncomingMessage } from 'node:http'

export type JsonObject = Readonly<Record<string, unknown>>

/** Enough for every test, and a bound all the same. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** What was wrong with a body, with the status the real engine answers. */
export class BadBody extends Error {
  override readonly name = 'BadBody'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new BadBody(413, 'payload too large')
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new BadBody(400, `[json.exception.parse_error.101] parse error: ${String(cause)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadBody(400, '[json.exception.type_error.302] type must be object')
  }
  return value as JsonObject
}

export function textIn(body: JsonObject, name: string): string {
  const value = body[name]
  return typeof value === 'string' ? value : ''
}

export function numberIn(body: JsonObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = body[name]
    if (typeof value === 'number') return value
  }
  return undefined
}
