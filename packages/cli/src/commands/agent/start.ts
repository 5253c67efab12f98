import { createEmbeddedAgent, defaultStateDir, systemTimers } from '@lswap/agent'
import {
  createAgentServer,
  createEngineVersions,
  noticedLog,
  openTermFile,
  ownToken,
  readToken,
  startIdleUnload,
} from '@lswap/agent/server'
import { LOCAL_HOST, LswapError, type Config, type ConfigReading, type ModelConfig, type Redaction } from '@lswap/core'
import { hostname } from 'node:os'
import type { Heap } from '../../heap/heap.ts'
import { bind } from '../../router/bind.ts'
import { isLoopback, type ListenAddress } from '../../router/listen-address.ts'
import type { Log } from '../../router/log.ts'
import { createReloader } from '../../router/reload/reloader.ts'
import type { TlsIdentity } from '../../router/tls.ts'
import { VERSION } from '../../version.ts'
import type { Service } from '../serve/service.ts'
import { outdatedModels, redefinedModels } from './outdated.ts'

export interface StartAgentOptions {
  readonly heap: Heap
  readonly config: Config
  readonly listen: ListenAddress
  /** Undefined: plain HTTP. */
  readonly tls: TlsIdentity | undefined
  readonly insecure: boolean
  /** Undefined: one of its own. */
  readonly tokenFile: string | undefined
  /** Undefined: where the environment says. */
  readonly stateDir: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** Knows the secrets of `config`; later ones it is told here. */
  readonly redaction: Redaction
  readonly readConfig: () => Promise<ConfigReading>
  readonly onConfig: (config: Config) => void
  readonly onListening: (urls: readonly string[]) => void
}

export interface RunningAgent extends Service {
  /** Reads the configuration again. Never rejects. */
  reload(): Promise<unknown>
}

/** How long running requests may go on when it stops. */
export const DRAIN_MS = 10_000

/** Puts the parts together: the agent of this machine and the RPC around it. Leaves nothing behind when it rejects. */
export const startAgent = async (options: StartAgentOptions): Promise<RunningAgent> => {
  const { heap, config: first, listen, tls, insecure, env, log, redaction, readConfig, onConfig, onListening } = options
  if (!isLoopback(listen.host) && tls === undefined && !insecure) throw exposed(listen)
  const stateDir = options.stateDir ?? defaultStateDir({ ...env })
  // What happens before anybody reads stands in the log; later readers begin with what comes
  const noticed = noticedLog(log, redaction.redact)
  const own = await createEmbeddedAgent({
    host: LOCAL_HOST,
    models: runnable(first),
    devices: first.devices.get(LOCAL_HOST),
    stateDir,
    log: noticed.log,
    redact: redaction.redact,
  })
  try {
    const token = options.tokenFile === undefined ? await ownToken(stateDir) : await namedToken(options.tokenFile)
    let models = runnable(first)
    const engines = createEngineVersions({ models: () => models, env })
    const server = createAgentServer({
      agent: own,
      id: hostname(),
      models: () => models.map(({ id }) => id),
      token: token.token,
      version: VERSION,
      termFile: await openTermFile(stateDir),
      log,
      measure: () => own.metrics(),
      engines: () => engines.list(),
      notices: (listener) => noticed.listen(listener),
    })
    const bound = await bind(listen, (listener) => server.serverFor({ ...listener, tls }))
    const stopIdle = startIdleUnload({
      agent: own,
      models: () => models,
      terms: server.terms,
      usage: server.usage,
      timers: systemTimers,
      end: async (idle) => {
        log.info({ models: idle }, 'nobody uses them and no router is there: they are unloaded')
        await server.end(idle, 0)
      },
    })
    // Orders, samples and heartbeats of a router are no work: they come all the time
    const unwatch = heap.watch(() => server.usage.all(), log)
    log.info({ tokenFile: token.path, models: models.length }, 'the agent takes orders from who has its token')
    onListening(bound.map(({ address }) => address.url))

    const endOutdated = async (
      before: readonly ModelConfig[],
      { limits: { drainTimeoutMs } }: Config,
    ): Promise<void> => {
      const loading = (await own.processes()).filter(({ phase }) => phase === 'starting').map(({ model }) => model)
      const outdated = outdatedModels({ before, now: models, loading })
      server.changed(redefinedModels({ before, now: models }))
      if (outdated.length > 0) await server.end(outdated, drainTimeoutMs)
    }

    const reloader = createReloader({
      isAgent: true,
      config: first,
      read: readConfig,
      log,
      onOutcome: () => {},
      apply: (next) => {
        const before = models
        redaction.know(next)
        models = runnable(next)
        own.reconfigure(models, next.devices.get(LOCAL_HOST))
        onConfig(next)
        void endOutdated(before, next)
      },
    })

    const shut = (): void => {
      stopIdle()
      unwatch()
      server.close()
      for (const one of bound) {
        one.server.close()
        one.server.closeIdleConnections()
      }
    }
    const cut = (): void => {
      for (const one of bound) one.server.closeAllConnections()
    }
    return {
      reload: () => reloader.reload('SIGHUP'),
      close: async () => {
        shut()
        await server.end(
          // Those that are to outlive it are left for the next one
          models.filter(({ onAgentExit }) => onAgentExit === 'stop').map(({ id }) => id),
          DRAIN_MS,
        )
        await own.close()
        cut()
      },
      destroy: async () => {
        shut()
        cut()
        await own.destroy()
      },
    }
  } catch (error) {
    await own.close()
    throw error
  }
}

/** Those that this machine can run: a file that a router reads too may name others. */
const runnable = ({ models }: Config): readonly ModelConfig[] => models.filter(({ cmd }) => cmd !== '')

const namedToken = async (path: string) => ({ token: await readToken(path), path })

const exposed = ({ host }: ListenAddress): LswapError =>
  new LswapError({
    code: 'invalid_config',
    message: `${host} can be reached from other machines, and without TLS the token and all requests could be read on the way.`,
    hint: 'Give --tls-cert and --tls-key, listen on 127.0.0.1, or give --insecure where the network itself is trusted.',
  })
