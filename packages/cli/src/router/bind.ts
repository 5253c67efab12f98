import { describeHolders, portHolders } from '@lswap/agent'
import { LswapError } from '@lswap/core'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { authority, isLoopback, type ListenAddress } from './listen-address.ts'

/** An address that is listened on. */
export interface BoundAddress extends ListenAddress {
  readonly url: string
}

/** Makes the server of one listener; `isLoopback`: only programs on this machine reach it. */
export type MakeServer = (listener: { readonly isLoopback: boolean }) => Server

/** With port 0, how often the second family may find the port of the first one taken. */
const ATTEMPTS = 8

/** Listens on an address, `localhost` on both families as far as the machine has them. Leaves nothing open when it rejects. */
export const bind = async (address: ListenAddress, makeServer: MakeServer): Promise<readonly BoundServer[]> => {
  const hosts = address.host === 'localhost' ? ['127.0.0.1', '::1'] : [address.host]
  for (let attempt = 1; ; attempt++) {
    const bound: BoundServer[] = []
    try {
      for (const host of hosts) {
        // The second family takes the port that the first one got
        const one = await bindOne({ host, port: bound[0]?.address.port ?? address.port }, makeServer)
        if (one !== undefined) bound.push(one)
      }
      if (bound.length > 0) return bound
      throw new LswapError({ code: 'unreachable', message: `This machine has no loopback address to listen on.` })
    } catch (error) {
      for (const { server } of bound) server.close()
      const isBadLuck = address.port === 0 && error instanceof LswapError && error.code === 'address_in_use'
      if (!isBadLuck || attempt === ATTEMPTS) throw error
    }
  }
}

export interface BoundServer {
  readonly server: Server
  readonly address: BoundAddress
}

/** Undefined: the machine lacks this family of loopback. */
const bindOne = async (wanted: ListenAddress, makeServer: MakeServer): Promise<BoundServer | undefined> => {
  const server = makeServer({ isLoopback: isLoopback(wanted.host) })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: wanted.host, port: wanted.port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (isLoopback(wanted.host) && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return undefined
    if (code === 'EADDRINUSE') throw await inUse(wanted, error)
    throw new LswapError(
      { code: 'unreachable', message: `Can not listen on ${authority(wanted)}: ${REASONS[code ?? ''] ?? message}.` },
      { cause: error },
    )
  }
  const { address: host, port } = server.address() as AddressInfo
  const scheme = server instanceof TlsServer ? 'https' : 'http'
  return { server, address: { host, port, url: `${scheme}://${authority({ host, port })}` } }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port',
  EADDRNOTAVAIL: 'it is not an address of this machine',
  ENOTFOUND: 'the name is not known',
}

const inUse = async (address: ListenAddress, cause: unknown): Promise<LswapError> => {
  // Who it is only helps; not knowing must not hide the cause
  const holders = await portHolders(address.port).catch(() => [])
  return new LswapError(
    {
      code: 'address_in_use',
      message: `${authority(address)} is taken by ${describeHolders(holders)}.`,
      hint: 'Stop it, or listen on another port with --listen.',
    },
    { cause },
  )
}
