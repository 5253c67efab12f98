import type { IncomingMessage } from 'node:http'

/**
 * The head of a request without its offer to switch protocols, which everybody may ignore (RFC 9110 §7.8). node:http parses no
 * further behind such an offer: a body, and the requests behind it, are read only when the offer is gone.
 */
export const ordinaryHead = ({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    const lower = name.toLowerCase()
    if (lower === 'connection') lines.push(`${name}: ${withoutUpgrade(value)}`)
    else if (lower !== 'upgrade') lines.push(`${name}: ${value}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

const withoutUpgrade = (options: string): string =>
  options
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option.toLowerCase() !== 'upgrade')
    .join(', ')
