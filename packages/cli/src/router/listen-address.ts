import { LswapError } from '@lswap/core'

/** Where to listen. */
export interface ListenAddress {
  /** An IP address, `localhost` (both families) or another name of this machine. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/** Where nobody said otherwise: only programs on this machine get in. */
const DEFAULT_HOST = '127.0.0.1'

const SHAPE = /^(?:(?:\[(?<v6>[^\]]+)\]|(?<host>[^:[\]]*)):)?(?<port>\d{1,5})$/

/** `8080`, `:8080`, `host:8080`, `[::1]:8080`; `*` as host means every address. Without a host it is loopback. Throws `invalid_request`. */
export const parseListenAddress = (text: string): ListenAddress => {
  const groups = SHAPE.exec(text.trim())?.groups
  const port = Number(groups?.['port'])
  if (groups === undefined || port > 65_535) {
    throw new LswapError({
      code: 'invalid_request',
      message: `"${text}" is not an address to listen on.`,
      hint: 'Give PORT, HOST:PORT or [IPV6]:PORT, as in 127.0.0.1:8080.',
    })
  }
  const host = groups['v6'] ?? groups['host']
  if (host === '*') return { host: '0.0.0.0', port }
  // Names know no case, and `localhost` is told by its letters
  return { host: host === undefined || host === '' ? DEFAULT_HOST : host.toLowerCase(), port }
}

/** Whether only programs on this machine can reach it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(host)

/** As in a URL: IPv6 in brackets. */
export const authority = ({ host, port }: ListenAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
