import { createEmbeddedAgent, type Agent } from '@lswap/agent'
import {
  type Config,
  type ConfigReading,
  createScheduler,
  type HostId,
  LOCAL_HOST,
  type ModelConfig,
  type Redaction,
  schedulerOptions,
} from '@lswap/core'
import type { Heap } from '../../heap/heap.ts'
import type { Clock } from '../../router/clock.ts'
import { createNotices } from '../../router/feed/notices.ts'
import { placed } from '../../router/fleet/hosts.ts'
import { createRemoteHosts, type RemoteHosts } from './remote-hosts.ts'
import type { OwnLog } from '../../router/logs/own-log.ts'
import type { EngineOutput } from './engine-output.ts'
import type { Log } from '../../router/log.ts'
import type { ListenAddress } from '../../router/listen-address.ts'
import { createRouter, type Router } from '../../router/router.ts'
import type { TlsIdentity } from '../../router/tls.ts'
import { COMMIT, VERSION } from '../../version.ts'

export interface StartOptions {
  readonly clock: Clock
  readonly heap: Heap
  readonly config: Config
  readonly listen: ListenAddress
  readonly insecure: boolean
  /** Undefined: plain HTTP. */
  readonly tls: TlsIdentity | undefined
  /** Undefined: where the environment says. */
  readonly stateDir: string | undefined
  readonly log: Log
  /** Knows the secrets of `config`; later ones it is told here. */
  readonly redaction: Redaction
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
  const { clock, heap, config, listen, insecure, tls, log, redaction, ownLog, engines, readConfig } = options
  const { onConfig, onListening } = options
  const { redact } = redaction
  const notices = createNotices(log, clock, redact)
  const local = config.embeddedAgent
    ? await createEmbeddedAgent({
        host: LOCAL_HOST,
        models: localModels(config),
        devices: config.devices.get(LOCAL_HOST),
        ...(options.stateDir === undefined ? {} : { stateDir: options.stateDir }),
        log: notices.log,
        redact,
      })
    : undefined
  const remote = createRemoteHosts({ log: notices.log, redact })
  await remote.load(config)
  remote.reconfigure(config)
  await remote.tried()
  const agents = liveAgents(local, remote)
  if (local !== undefined) engines.show(config, local)
  try {
    const router = createRouter({
      config,
      agents,
      hosts: remote.facts,
      scheduler: createScheduler(schedulerOptions(placed(config, remote.facts))),
      clock,
      notices,
      ownLog,
      version: VERSION,
      commit: COMMIT,
      insecure,
      tls,
      readConfig: async () => {
        const reading = await readConfig()
        // To take a configuration over must not wait for anything
        if (reading.ok) await remote.load(reading.config)
        return reading
      },
      onHostReleased: (host) => {
        remote.release(host)
        agents.delete(host)
      },
      onConfig: (next) => {
        redaction.know(next)
        remote.reconfigure(next)
        for (const [host, agent] of remote.agents()) agents.set(host, agent)
        local?.reconfigure(localModels(next), next.devices.get(LOCAL_HOST))
        if (local !== undefined) engines.show(next, local)
        onConfig(next)
      },
    })
    const addresses = await router.listen(listen)
    const unwatch = heap.watch(() => router.activity(), log)
    onListening(addresses.map(({ url }) => url))
    return {
      ...router,
      close: async () => {
        unwatch()
        await router.close()
        await remote.close()
      },
      destroy: async () => {
        unwatch()
        await router.destroy()
        await remote.close()
      },
    }
  } catch (error) {
    await Promise.all([...agents.values()].map((agent) => agent.close()))
    throw error
  }
}

const liveAgents = (local: Agent | undefined, remote: RemoteHosts): Map<HostId, Agent> => {
  const agents = new Map<HostId, Agent>(remote.agents())
  if (local !== undefined) agents.set(LOCAL_HOST, local)
  return agents
}

const localModels = ({ models }: Config): readonly ModelConfig[] =>
  models.filter(({ hosts }) => hosts.includes(LOCAL_HOST))
