import type { Failure } from '@lswap/core'
import type { ClientRequest } from './messages.ts'

/**
 * What is wrong with a head that node:http lets pass. Each is something that two programs in a row can read differently,
 * and then one of them sees a request, or a host, that the other did not check.
 */
export const headFailure = ({
  method,
  httpVersion,
  headers,
  rawHeaders,
  url = '',
}: ClientRequest): Failure | undefined => {
  const isOld = httpVersion === '1.0'
  if (!isOld && httpVersion !== '1.1') return broken(`HTTP/${httpVersion} is not spoken here.`)
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return broken('The request has more than one Host header.')
  if (hosts === 0 && !isOld) return broken('The request has no Host header.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked'))
    return broken(
      isOld ? 'HTTP/1.0 has no Transfer-Encoding.' : 'The only Transfer-Encoding that is read is "chunked", once.',
    )
  if (method === 'CONNECT') return broken('No tunnels lead through here (CONNECT).')
  const { expect } = headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return broken('The only thing to Expect is "100-continue".')
  if (!url.startsWith('/') && url !== '*' && !isOf(url, headers.host))
    return broken('The request target is neither a path nor an address of the host that its Host header names.')
  return undefined
}

const broken = (message: string): Failure => ({ code: 'invalid_request', message })

const countHosts = (raw: readonly string[]): number => {
  let count = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** Whether an address, as proxies get it, is one of that host. */
const isOf = (url: string, host = ''): boolean => {
  const own = `http://${host}`
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url) || !URL.canParse(own)) return false
  const asked = new URL(url)
  return asked.username === '' && asked.password === '' && asked.host === new URL(own).host
}
