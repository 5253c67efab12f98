import type { Config, Failure, HostId, ModelId } from '@lswap/core'

/** What is known of hosts beside what runs there. */
export interface HostFacts {
  /** The models that it has; undefined: it was never reached, or has what the configuration says. */
  models(host: HostId): readonly ModelId[] | undefined
  /** Why it can not be used now; undefined: it can, as far as it says. */
  failure(host: HostId): Failure | undefined
  /** What its agent said of itself; undefined: it is none on another machine. */
  details?(host: HostId): HostDetails | undefined
}

export interface HostDetails {
  readonly url: string
  /** Since when it can be used, or can not, in milliseconds since 1970. */
  readonly since: number
  /** Undefined: it was never reached. */
  readonly version: string | undefined
  readonly engines: readonly { readonly executable: string; readonly version: string | null }[]
}

/** Why a host is lost in whose place the configuration puts another one. */
export const REPLACED: Failure = {
  code: 'host_unreachable',
  message: 'the configuration names another address or token for it',
}

/** Of hosts that have what the configuration says. */
export const PLAIN_HOSTS: HostFacts = { models: () => undefined, failure: () => undefined }

/** The configuration with each model on those of its hosts that have it. One that was not reached yet may have it. */
export const placed = (config: Config, facts: HostFacts): Config => {
  const has = (host: HostId, model: ModelId): boolean => facts.models(host)?.includes(model) ?? true
  return {
    ...config,
    models: config.models.map((model) => {
      const hosts = model.hosts.filter((host) => has(host, model.id))
      return hosts.length === model.hosts.length ? model : Object.assign({}, model, { hosts })
    }),
  }
}

/** Models that no host has, as far as all of them were reached. */
export const unplaced = ({ models }: Pick<Config, 'models'>): readonly ModelId[] =>
  models.filter(({ hosts }) => hosts.length === 0).map(({ id }) => id)
