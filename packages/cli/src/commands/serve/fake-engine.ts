import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The simulated engine's program: beside this file in the shipped bundle, in the agent's package when run from compiled sources. */
export const fakeEnginePath = (): string => {
  const bundled = fileURLToPath(new URL('fake-llama.js', import.meta.url))
  if (existsSync(bundled)) return bundled
  return fileURLToPath(new URL('fake/main.js', import.meta.resolve('@lswap/agent')))
}
