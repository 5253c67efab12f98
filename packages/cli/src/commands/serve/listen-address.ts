import { InvalidArgumentError } from 'commander'

export interface ListenAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

const SHAPE = /^(?:(?:\[(?<v6>[^\]]+)\]|(?<host>[^:[\]]*)):)?(?<port>\d{1,5})$/

/** `8080`, `:8080`, `host:8080`, `[::1]:8080`. Without a host it is loopback: the network is only served when asked for. */
export const listenAddress = (text: string): ListenAddress => {
  const groups = SHAPE.exec(text.trim())?.groups
  const port = Number(groups?.['port'])
  if (groups === undefined || port > 65_535) {
    throw new InvalidArgumentError('Give PORT, HOST:PORT or [IPV6]:PORT, as in 127.0.0.1:8080.')
  }
  const host = groups['v6'] ?? groups['host']
  if (host === '*') return { host: '0.0.0.0', port }
  return { host: host ? host : '127.0.0.1', port }
}

/** Whether only programs on this machine can reach it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
