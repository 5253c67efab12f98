// The bundler replaces the names; a run from compiled sources has no version of its own.
declare const __LSWAP_VERSION__: string | undefined
declare const __LSWAP_COMMIT__: string | undefined

/** The version of the package, or `0.0.0-dev` when it runs unbundled. */
export const VERSION = typeof __LSWAP_VERSION__ === 'string' ? __LSWAP_VERSION__ : '0.0.0-dev'

/** What it was built from: 12 hex digits, or `unknown`. */
export const COMMIT = typeof __LSWAP_COMMIT__ === 'string' ? __LSWAP_COMMIT__ : 'unknown'
