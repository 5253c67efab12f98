// The bundler replaces the name; a run from compiled sources has no version of its own.
declare const __LSWAP_VERSION__: string | undefined

/** The version of the package, or `0.0.0-dev` when it runs unbundled. */
export const VERSION = typeof __LSWAP_VERSION__ === 'string' ? __LSWAP_VERSION__ : '0.0.0-dev'
