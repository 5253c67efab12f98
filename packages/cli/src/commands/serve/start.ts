import { createEmbeddedAgent } from '@lswap/agent'
import { type Config, type ConfigReading, createScheduler, LOCAL_HOST, schedulerOptions } from '@lswap/core'
import { systemClock } from '../../router/clock.ts'
import { createNotices } from '../../router/feed/notices.ts'
import type { OwnLog } from '../../router/logs/own-log.ts'
import type { EngineOutput } from './engine-output.ts'
import type { Log } from '../../router/log.ts'
import type { ListenAddress } from '../../router/listen-address.ts'
import { createRouter, type Router } from '../../router/router.ts'
import type { TlsIdentity } from '../../router/tls.ts'
import { VERSION } from '../../version.ts'

export interface StartOptions {
  readonly config: Config
  readonly listen: ListenAddress
  readonly insecure: boolean
  /** Undefined: plain HTTP. */
  readonly tls: TlsIdentity | undefined
  readonly log: Log
  /** Reads the configuration again. */
  readonly readConfig: () => Promise<ConfigReading>
  /** Told of a configuration that is taken over. */
  readonly onConfig: (config: Config) => void
  readonly ownLog: OwnLog
  /** Shows what engines print. */
  readonly engines: Pick<EngineOutput, 'show'>
  /** Told every address that the router answers at, as URLs. */
  readonly onListening: (urls: readonly string[]) => void
}

/** Puts the parts together: the agent of this machine, the scheduler, and the router, which ends them all. Leaves nothing behind when it rejects. */
export const startRouter = async (options: StartOptions): Promise<Router> => {
  const { config, listen, insecure, tls, log, ownLog, engines, readConfig, onConfig, onListening } = options
  const clock = systemClock()
  const notices = createNotices(log, clock)
  const agent = await createEmbeddedAgent({
    host: LOCAL_HOST,
    models: config.models,
    devices: config.devices.get(LOCAL_HOST),
    log: notices.log,
  })
  engines.show(config, agent)
  try {
    const router = createRouter({
      config,
      agents: new Map([[LOCAL_HOST, agent]]),
      scheduler: createScheduler(schedulerOptions(config)),
      clock,
      log,
      notices,
      ownLog,
      version: VERSION,
      insecure,
      tls,
      readConfig,
      onConfig: (next) => {
        agent.reconfigure(next.models, next.devices.get(LOCAL_HOST))
        engines.show(next, agent)
        onConfig(next)
      },
    })
    const addresses = await router.listen(listen)
    onListening(addresses.map(({ url }) => url))
    return router
  } catch (error) {
    await agent.close()
    throw error
  }
}
