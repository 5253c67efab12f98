import { fileURLToPath } from 'node:url'

/** The compiled CLI, as a user's shell would start it. */
export const CLI = fileURLToPath(new URL('../../src/cli.js', import.meta.url))

/** The compiled simulated engine. */
export const FAKE_ENGINE = fileURLToPath(new URL('fake/main.js', import.meta.resolve('@lswap/agent')))
