import { callerId, type Config, type KeyConfig } from '@lswap/core'

/** A key whose secret is `sk-` and its name, with all rights but for what is given. */
export const key = (name: string, changes: Partial<KeyConfig> = {}): KeyConfig => ({
  secret: `sk-${name}`,
  name: callerId(name),
  scopes: ['infer', 'read', 'admin'],
  models: undefined,
  maxPriority: undefined,
  concurrency: undefined,
  ...changes,
})

export const access = (changes: Partial<Config['access']> = {}): Config['access'] => ({
  keys: [],
  cors: [],
  allowedHosts: [],
  ...changes,
})

export const bearer = (name: string): Record<string, string> => ({ Authorization: `Bearer sk-${name}` })
