import type { OnSaturation } from './picker.ts'

/** `seed`: absolute queue thresholds, for engines with hundreds of slots. `llama`: thresholds that grow with the slots. */
export type PickerProfile = 'seed' | 'llama'

/** `routing.picker` of the configuration; whatever is absent has its default. */
export interface PickerSettings {
  readonly use?: string
  readonly profile?: PickerProfile
  readonly kvCacheThreshold?: number
  /** In requests, in either profile: a number that somebody wrote down is not scaled. */
  readonly queueThresholdCritical?: number
  /** In requests, in either profile. */
  readonly queueingThresholdLoRA?: number
  readonly loraAffinityThreshold?: number
  readonly staleAfterMs?: number
  /** In requests, in either profile. */
  readonly prefixQueueThreshold?: number
  readonly onSaturation?: OnSaturation
}

/** `requests` plus `perSlot` for each slot of the replica. */
export interface QueueLimit {
  readonly requests: number
  readonly perSlot: number
}

/** The numbers that the filters compare with. */
export interface Thresholds {
  readonly kvCacheThreshold: number
  /** Despite its name it gates the requests that are not critical. */
  readonly queueThresholdCritical: QueueLimit
  readonly queueingThresholdLoRA: QueueLimit
  readonly loraAffinityThreshold: number
  /** By how much the queue of who holds a prompt's prefix may be worse than the shortest. */
  readonly prefixQueueThreshold: QueueLimit
  /** An endpoint without own requests passes the capacity gate whatever its metrics say. */
  readonly idlePasses: boolean
}

const requests = (count: number): QueueLimit => ({ requests: count, perSlot: 0 })
const perSlot = (count: number): QueueLimit => ({ requests: 0, perSlot: count })

/** The defaults of each profile. */
export const PROFILES: Readonly<Record<PickerProfile, Thresholds>> = {
  seed: {
    kvCacheThreshold: 0.8,
    queueThresholdCritical: requests(5),
    queueingThresholdLoRA: requests(128),
    loraAffinityThreshold: 0.999,
    prefixQueueThreshold: requests(8),
    idlePasses: false,
  },
  llama: {
    kvCacheThreshold: 0.8,
    queueThresholdCritical: perSlot(1),
    queueingThresholdLoRA: perSlot(4),
    loraAffinityThreshold: 0.999,
    prefixQueueThreshold: perSlot(0.5),
    idlePasses: true,
  },
}

export const DEFAULT_PROFILE: PickerProfile = 'llama'
export const DEFAULT_STALE_AFTER_MS = 2_000

/** How many requests a limit means for a replica of so many slots. */
export const limitFor = (limit: QueueLimit, slots: number): number => limit.requests + limit.perSlot * slots

/** The profile's thresholds, with what was configured in their place. */
export const thresholdsOf = (settings: PickerSettings): Thresholds => {
  const profile = PROFILES[settings.profile ?? DEFAULT_PROFILE]
  const { queueThresholdCritical, queueingThresholdLoRA, prefixQueueThreshold } = settings
  return {
    kvCacheThreshold: settings.kvCacheThreshold ?? profile.kvCacheThreshold,
    queueThresholdCritical:
      queueThresholdCritical === undefined ? profile.queueThresholdCritical : requests(queueThresholdCritical),
    queueingThresholdLoRA:
      queueingThresholdLoRA === undefined ? profile.queueingThresholdLoRA : requests(queueingThresholdLoRA),
    loraAffinityThreshold: settings.loraAffinityThreshold ?? profile.loraAffinityThreshold,
    prefixQueueThreshold:
      prefixQueueThreshold === undefined ? profile.prefixQueueThreshold : requests(prefixQueueThreshold),
    idlePasses: profile.idlePasses,
  }
}
