import { LswapError } from '@lswap/core'
import { isLoopback, type ListenAddress } from './listen-address.ts'

export interface Protection {
  readonly hasKeys: boolean
  /** Somebody said that whoever reaches it may use it. */
  readonly insecure: boolean
}

/** Throws for an address that other machines reach while nothing protects it: anybody there could use everything. */
export const refuseExposure = (addresses: readonly ListenAddress[], { hasKeys, insecure }: Protection): void => {
  const open = addresses.find(({ host }) => !isLoopback(host))
  if (open === undefined || hasKeys || insecure) return
  throw new LswapError({
    code: 'invalid_config',
    message: `${open.host} can be reached from other machines, and no API key protects this router.`,
    hint: 'Configure apiKeys, listen on 127.0.0.1, or give --insecure if everybody who reaches it may use it.',
  })
}
