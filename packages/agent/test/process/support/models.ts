import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelConfig } from '@lswap/core'
import { modelConfig } from '@lswap/core/test-support'

const FAKE_ENGINE = fileURLToPath(new URL('../../../src/fake/main.js', import.meta.url))

/** A command that starts the simulated engine with these switches; `${PORT}` unless they name a port. */
export const fakeCommand = (switches = ''): string =>
  `'${process.execPath}' '${FAKE_ENGINE}' ${switches.includes('--port') ? '' : '--port ${PORT}'} ${switches}`

/** The same under a name that says what it is, for what depends on that; `dir` is where the name is put. */
export const namedFakeCommand = (dir: string, switches = ''): string => {
  const path = join(dir, 'lswap-fake-llama')
  if (!existsSync(path)) symlinkSync(FAKE_ENGINE, path)
  return fakeCommand(switches).replace(FAKE_ENGINE, path)
}

/** A command that runs a script in node; `${PORT}` is expanded in it. */
export const scriptCommand = (script: string): string => `'${process.execPath}' -e '${script}'`

let ports = 20_000 + (process.pid % 1_000) * 10

/** A model with short limits; every call takes another port. */
export const model = (id: string, settings: Partial<ModelConfig> = {}): ModelConfig => {
  ports += 1
  return {
    ...modelConfig(id, {
      cmd: fakeCommand(),
      port: ports,
      healthCheckTimeoutMs: 60_000,
      unloadTimeoutMs: 5_000,
      ...settings,
    }),
    // Certificates of the machine only slow every start of node down.
    env: { NODE_EXTRA_CA_CERTS: '', ...settings.env },
  }
}
