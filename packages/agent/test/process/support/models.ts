import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { modelId, NO_FILTERS } from '@lswap/core'
import type { ModelConfig } from '@lswap/core'
import { LOCAL_HOST } from '@lswap/core'

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
    id: modelId(id),
    name: undefined,
    description: undefined,
    cmd: fakeCommand(),
    cmdStop: undefined,
    proxy: undefined,
    port: ports,
    checkEndpoint: '/health',
    healthCheckTimeoutMs: 60_000,
    unloadTimeoutMs: 5_000,
    stopSignal: 'SIGTERM',
    onAgentExit: 'stop',
    aliases: [],
    unlisted: false,
    useModelName: undefined,
    filters: NO_FILTERS,
    idleMs: undefined,
    concurrencyLimit: undefined,
    queueLimit: 512,
    pinned: false,
    hosts: [LOCAL_HOST],
    fifoPriority: 0,
    priority: 0,
    criticality: undefined,
    sendLoadingState: false,
    heartbeat: undefined,
    metadata: undefined,
    capabilities: undefined,
    memory: undefined,
    ...settings,
    // Certificates of the machine only slow every start of node down.
    env: { NODE_EXTRA_CA_CERTS: '', ...settings.env },
  }
}
