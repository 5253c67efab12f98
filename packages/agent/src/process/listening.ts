import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

const CONNECT_LIMIT_MS = 1_000
/** The address on which a port that counts as free was found so. */
export const CHECKED_HOST = '127.0.0.1'

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (open: boolean): void => {
      resolve(open)
      socket.destroy()
    }
    // Nobody on this machine needs that long to refuse: a filter drops the packets, so somebody may be there.
    const timer = setTimeout(() => settle(true), CONNECT_LIMIT_MS)
    socket.on('connect', () => settle(true))
    socket.on('error', () => settle(false))
    socket.on('close', () => clearTimeout(timer))
  })

/** Whether somebody listens there; `localhost` means both families. */
export const isListening = async (host: string, port: number): Promise<boolean> => {
  const hosts = host === 'localhost' ? [CHECKED_HOST, '::1'] : [host]
  return (await Promise.all(hosts.map((each) => accepts(each, port)))).includes(true)
}

/** Binds the port for a moment; 0: whichever is free. Undefined: it can not be had. */
const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ host: CHECKED_HOST, port, exclusive: true }, () => {
      const bound = (server.address() as AddressInfo).port
      server.close(() => resolve(bound))
    })
  })

/** Both questions: where a wildcard listener exists, some systems let another bind beside it. */
export const isPortFree = async (port: number): Promise<boolean> =>
  !(await isListening(CHECKED_HOST, port)) && (await tryPort(port)) !== undefined

export const anyFreePort = (): Promise<number | undefined> => tryPort(0)
