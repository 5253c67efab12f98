import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** From the compiled tests to their sources. */
const path = (name: string): string => fileURLToPath(new URL(`../../test/fixtures/tls/${name}.pem`, import.meta.url))

/** Files of the certificate of `localhost`. */
export const TLS_FILES = { cert: path('cert'), key: path('key'), otherKey: path('other-key') }

export const tlsIdentity = (): { readonly cert: string; readonly key: string } => ({
  cert: readFileSync(TLS_FILES.cert, 'utf8'),
  key: readFileSync(TLS_FILES.key, 'utf8'),
})
