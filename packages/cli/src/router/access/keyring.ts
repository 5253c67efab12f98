import type { KeyConfig } from '@lswap/core'
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Keyring {
  /** Without keys nobody is asked for one. */
  readonly isEmpty: boolean
  /** The key that one of the presented ones is. */
  find(presented: readonly Buffer[]): KeyConfig | undefined
}

/**
 * Compares digests of equal length under a secret of this process, each presented key with all keys: how long it takes
 * tells neither how much of a key was right nor which one it is.
 */
export const createKeyring = (keys: readonly KeyConfig[]): Keyring => {
  const pepper = randomBytes(32)
  // In one call: a stream for each of some thousand requests a second would be felt
  const digest = (key: Buffer): Buffer => hash('sha256', Buffer.concat([pepper, key]), 'buffer')
  const known = keys.map((key) => ({ key, digest: digest(Buffer.from(key.secret)) }))
  return {
    isEmpty: keys.length === 0,
    find: (presented) => {
      let found: KeyConfig | undefined
      for (const one of presented) {
        const given = digest(one)
        for (const { key, digest: wanted } of known) if (timingSafeEqual(given, wanted)) found ??= key
      }
      return found
    },
  }
}
