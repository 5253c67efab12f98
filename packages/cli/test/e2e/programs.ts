import { fileURLToPath } from 'node:url'

/** The CLI as a user's shell would start it: the bundle, where `scripts/test` has just made it, or what was compiled. */
export const CLI = process.env['LSWAP_TEST_CLI'] ?? fileURLToPath(new URL('../../src/cli.js', import.meta.url))

/** The compiled simulated engine. */
export const FAKE_ENGINE = fileURLToPath(new URL('fake/main.js', import.meta.resolve('@lswap/agent')))
