import { bind, type BoundAddress, type BoundServer, type MakeServer } from './bind.ts'
import { refuseExposure } from './exposure.ts'
import { isLoopback, type ListenAddress } from './listen-address.ts'
import type { Log } from './log.ts'

export interface ListenersOptions {
  readonly log: Log
  /** Somebody said that whoever reaches an address may use it. */
  readonly isInsecure: boolean
  readonly isEncrypted: boolean
  readonly hasKeys: () => boolean
  readonly isClosing: () => boolean
  readonly serverFor: MakeServer
  /** Resolves once requests can be decided: nothing listens before. */
  readonly ready: () => Promise<void>
}

/** The addresses that a router listens on. */
export interface Listeners {
  readonly servers: readonly BoundServer[]
  /** Throws for an address that can not be had, and for one that others reach while nothing protects it. */
  listen(address: ListenAddress): Promise<readonly BoundAddress[]>
  /** Throws where the addresses that are there would be left without protection. */
  checkExposure(hasKeys: boolean): void
  /** Ends the connections on which nothing is asked. */
  closeIdle(): void
}

export const createListeners = (options: ListenersOptions): Listeners => {
  const { log, isInsecure, isEncrypted, hasKeys, isClosing, serverFor, ready } = options
  const servers: BoundServer[] = []
  const addresses: ListenAddress[] = []

  /** Before it is bound: from then on its protection must not go. */
  const claim = (address: ListenAddress): void => {
    const protection = { hasKeys: hasKeys(), insecure: isInsecure }
    refuseExposure([address], protection)
    addresses.push(address)
    if (isLoopback(address.host)) return
    if (!protection.hasKeys) {
      log.warn({ host: address.host }, 'insecure: whoever reaches this address may use everything')
    } else if (!isEncrypted) {
      log.warn({ host: address.host }, 'keys cross the network as they are: --tls-cert and --tls-key would hide them')
    }
  }

  const open = async (address: ListenAddress): Promise<readonly BoundServer[]> => {
    await ready()
    return bind(address, serverFor)
  }

  return {
    servers,
    listen: async (address) => {
      claim(address)
      const bound = await open(address).catch((error: unknown) => {
        addresses.splice(addresses.indexOf(address), 1)
        throw error
      })
      for (const { server } of bound) server.on('error', (error) => log.error({ err: error }, 'listener failed'))
      servers.push(...bound)
      if (isClosing()) for (const { server } of bound) server.close()
      return bound.map((one) => one.address)
    },
    checkExposure: (keys) => refuseExposure(addresses, { hasKeys: keys, insecure: isInsecure }),
    closeIdle: () => {
      // The connection whose answer ends right now is idle only after this turn
      for (const { server } of servers) setImmediate(() => server.closeIdleConnections())
    },
  }
}
