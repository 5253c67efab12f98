import { createEmbeddedAgent } from '@lswap/agent'
import { type Config, createScheduler, LOCAL_HOST, schedulerOptions } from '@lswap/core'
import { systemClock } from '../../router/clock.ts'
import type { Log } from '../../router/log.ts'
import { createRouter } from '../../router/router.ts'
import { VERSION } from '../../version.ts'
import type { ListenAddress } from './listen-address.ts'
import type { Service } from './service.ts'

export interface StartOptions {
  readonly config: Config
  readonly listen: ListenAddress
  readonly stateDir: string
  readonly log: Log
  /** Told every address that the router answers at, as URLs. */
  readonly onListening: (urls: readonly string[]) => void
}

/** Puts the parts together: the agent of this machine, the scheduler, the router. Leaves nothing behind when it rejects. */
export const startRouter = async (options: StartOptions): Promise<Service> => {
  const { config, listen, stateDir, log, onListening } = options
  const agent = await createEmbeddedAgent({ host: LOCAL_HOST, models: config.models, stateDir, log })
  try {
    const router = createRouter({
      config,
      agents: new Map([[LOCAL_HOST, agent]]),
      scheduler: createScheduler(schedulerOptions(config)),
      clock: systemClock(),
      log,
      version: VERSION,
    })
    onListening(await router.listen(listen))
    return {
      close: async () => {
        await router.close()
        await agent.close()
      },
      destroy: async () => {
        await Promise.all([router.destroy(), agent.destroy()])
      },
    }
  } catch (error) {
    await agent.close()
    throw error
  }
}
