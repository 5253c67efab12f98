/** What a host would have to do before it could serve a model. */
export interface HostResidency {
  /** The model is ready there. */
  readonly isReady: boolean
  /** It could be loaded there without an eviction. */
  readonly fits: boolean
}

/** What adapters are to a replica, resident models are to a host. `neither`: the host would have to swap. */
export type Residency = 'affinity' | 'available' | 'neither'

export const residencyOf = ({ isReady, fits }: HostResidency): Residency => {
  if (isReady) return 'affinity'
  return fits ? 'available' : 'neither'
}

/**
 * The hosts to consider for a model, in their order: where it is ready, else where it fits, else all. Unlike the
 * adapter filter it draws nothing: leaving a ready model by chance would cost a load of seconds to minutes, not
 * milliseconds. Which of several hosts loads it is for the scheduler's placement rule.
 */
export const preferResident = <Host extends HostResidency>(hosts: readonly Host[]): readonly Host[] => {
  const ready = hosts.filter((host) => residencyOf(host) === 'affinity')
  if (ready.length > 0) return ready
  const available = hosts.filter((host) => residencyOf(host) === 'available')
  return available.length > 0 ? available : hosts
}
