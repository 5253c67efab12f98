import type { Failure, KeyConfig } from '@lswap/core'
import type { IncomingHttpHeaders } from 'node:http'
import type { NeededScope } from '../route.ts'
import type { Keyring } from './keyring.ts'
import { presentedKeys } from './presented-keys.ts'
import { ANYBODY, rightsOf, type Rights } from './rights.ts'

export type Admission =
  | { readonly ok: true; readonly rights: Rights }
  | { readonly ok: false; readonly failure: Failure }

/** Whether a request may reach what needs `scope`. What is no route at all needs a key too: it tells strangers nothing. */
export const admit = (keyring: Keyring, headers: IncomingHttpHeaders, scope: NeededScope): Admission => {
  if (keyring.isEmpty || scope === 'none') return { ok: true, rights: ANYBODY }
  const presented = presentedKeys(headers)
  const key = keyring.find(presented)
  if (key === undefined) return { ok: false, failure: presented.length === 0 ? KEY_MISSING : KEY_WRONG }
  if (scope !== 'any' && !key.scopes.includes(scope)) return { ok: false, failure: outOfScope(key, scope) }
  return { ok: true, rights: rightsOf(key) }
}

const HOW = 'Send it as `Authorization: Bearer KEY` or `x-api-key: KEY`.'
const KEY_MISSING: Failure = { code: 'unauthorized', message: 'This router wants an API key.', hint: HOW }
const KEY_WRONG: Failure = { code: 'unauthorized', message: 'The API key is none of this router.', hint: HOW }

const outOfScope = ({ name, scopes }: KeyConfig, scope: string): Failure => ({
  code: 'forbidden',
  message: `The key "${name}" may not do this: it needs the scope ${scope} and has ${scopes.join(', ') || 'none'}.`,
  hint: 'Use a key that has it, or add it to this one under apiKeys.',
})
