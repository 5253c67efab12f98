import { LOCAL_HOST, LswapError, schedulerOptions, type Config, type HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { DispatchOptions } from '../dispatch-options.ts'
import { placed, unplaced, type HostFacts } from '../fleet/hosts.ts'
import type { Leaving } from '../fleet/leaving.ts'
import type { Listeners } from '../listeners.ts'
import type { Log } from '../log.ts'
import type { RunLoop } from '../loop.ts'
import { settingsOf, type Settings, type SettingsOptions } from '../settings.ts'
import { SHUTTING_DOWN } from '../shutdown.ts'

export interface InForceOptions {
  /** The first one. */
  readonly config: Config
  /** Live: `tell` of `takeOver` may change it. */
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly hosts: HostFacts
  /** What requests know whatever is configured. */
  readonly lasting: Omit<DispatchOptions, keyof Settings>
  readonly limits: SettingsOptions['limits']
  readonly log: Log
  readonly loop: Pick<RunLoop, 'reconfigure' | 'agentsChanged' | 'view'>
  readonly listeners: Pick<Listeners, 'checkExposure'>
  readonly leaving: Pick<Leaving, 'set' | 'look'>
  readonly isClosing: () => boolean
}

/** The configuration that decides, until another one takes its place. */
export interface InForce {
  /** Everything that requests know; replaced whole, so that none ever sees half of another configuration. */
  context(): DispatchOptions
  /** As it was read, whichever hosts there are. */
  config(): Config
  /** The longest that a model may take to stop: one that is gone from the configuration may still be stopping. */
  longestUnloadMs(): number
  /**
   * All of it in one go: no event and no request comes in between. `tell` is called right before anything is decided by it. Throws
   * where it can not be taken over, with nothing changed.
   */
  takeOver(next: Config, tell: () => void): void
  /** The same configuration, as hosts have other models than before. */
  placeAgain(): void
  /** For people: models that can not be loaded anywhere. */
  warnOfUnplaced(): void
}

export const createInForce = (options: InForceOptions): InForce => {
  const { agents, hosts, lasting, limits, log, loop, listeners, leaving, isClosing } = options
  const settingsOptions: SettingsOptions = { limits, view: () => loop.view() }
  const contextOf = (here: Config): DispatchOptions => ({ ...lasting, ...settingsOf(here, settingsOptions) })
  let { config } = options
  let context = contextOf(placed(config, hosts))
  let longestUnloadMs = longestOf(config)

  const warnOf = (here: Config): void => {
    const models = unplaced(here)
    if (models.length > 0) log.warn({ models }, 'no agent has these models: they can not be loaded')
  }

  const takeOver: InForce['takeOver'] = (next, tell) => {
    if (isClosing()) throw new LswapError(SHUTTING_DOWN)
    const here = placed(next, hosts)
    const settings = contextOf(here)
    listeners.checkExposure(!settings.keyring.isEmpty)
    // What was chosen by hand stays while there is such a profile: an edit elsewhere must not change what names mean
    settings.names.profiles.activate(context.names.profiles.active())
    const scheduling = schedulerOptions(here)
    tell()
    context = settings
    config = next
    longestUnloadMs = Math.max(longestUnloadMs, longestOf(next))
    loop.reconfigure(scheduling)
    loop.agentsChanged()
    leaving.set(hostsThatLeave(agents, next), endingMs(next))
    leaving.look()
    warnOf(here)
  }

  return {
    context: () => context,
    config: () => config,
    longestUnloadMs: () => longestUnloadMs,
    takeOver,
    placeAgain: () => {
      if (!isClosing()) takeOver(config, () => {})
    },
    warnOfUnplaced: () => warnOf(placed(config, hosts)),
  }
}

/** How long what runs may take to end: its drain, then its stop; `Infinity`: as long as it takes. */
const endingMs = (config: Config): number => {
  const { drainTimeoutMs } = config.limits
  return drainTimeoutMs === 'never' ? Infinity : drainTimeoutMs + longestOf(config)
}

const longestOf = ({ models }: Config): number => Math.max(0, ...models.map(({ unloadTimeoutMs }) => unloadTimeoutMs))

/** This machine comes and goes with the process. */
const hostsThatLeave = (agents: ReadonlyMap<HostId, Agent>, next: Config): readonly HostId[] => {
  const stay = new Set<HostId>([LOCAL_HOST, ...next.agents.map(({ id }) => id)])
  return [...agents.keys()].filter((host) => !stay.has(host))
}
