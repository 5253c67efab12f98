import { STATUS_CODES } from 'node:http'
import type { ClientResponse } from '../messages.ts'

/**
 * Passes an interim answer on (RFC 9110 §15.2), before the final one of the same request. Not to HTTP/1.0, which does not know
 * them; not 100, which the router gives by itself.
 */
export const passInformation = (
  res: ClientResponse,
  { status, headers }: { readonly status: number; readonly headers: readonly string[] },
): void => {
  const { httpVersionMajor, httpVersionMinor } = res.req
  if (status === 100 || res.headersSent || httpVersionMajor !== 1 || httpVersionMinor < 1) return
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const lower = name.toLowerCase()
    // Nor what another lswap behind this one tells of itself, as in the head
    if (lower !== 'content-length' && !lower.startsWith('x-lswap-')) text += `${name}: ${headers[at + 1]}\r\n`
  }
  const write = (): void => void res.socket?.write(`${text}\r\n`, 'latin1')
  // Behind another request of the connection its turn is yet to come; listeners run before anything of the answer is written
  if (res.socket === null) res.once('socket', write)
  else write()
}
