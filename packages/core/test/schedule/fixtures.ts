import {
  DEFAULT_LIMITS,
  exclusive,
  LOCAL_HOST,
  modelId,
  type Command,
  type HostId,
  type ModelPolicy,
  type PolicySettings,
  type SchedulerLimits,
  type SchedulerOptions,
  type Swapper,
} from '../../src/index.ts'

/** A model of a test, with one slot and one host unless it says otherwise. */
export const model = (id: string, more: Partial<Omit<ModelPolicy, 'id'>> = {}): ModelPolicy => ({
  id: modelId(id),
  hosts: [LOCAL_HOST],
  commandHash: `run ${id}`,
  processHash: `run ${id}`,
  concurrencyLimit: 1,
  queueLimit: 512,
  priority: 0,
  pinned: false,
  ...more,
})

export interface RigOptions {
  readonly models: readonly ModelPolicy[]
  readonly swapper?: Swapper
  readonly policy?: PolicySettings
  readonly limits?: Partial<SchedulerLimits>
  readonly hosts?: readonly string[]
  readonly picker?: SchedulerOptions['picker']
  readonly seed?: number
}

export const rigOptions = ({ models, swapper, policy, limits, picker, seed = 0 }: RigOptions): SchedulerOptions => ({
  policy: policy ?? { use: 'fifo', fairAfterMs: 60_000 },
  models,
  limits: { ...DEFAULT_LIMITS, ...limits },
  swapper: swapper ?? exclusive,
  seed,
  ...(picker === undefined ? {} : { picker }),
})

const at = (placement: { model: string; host: HostId }): string =>
  placement.host === LOCAL_HOST ? placement.model : `${placement.model}@${placement.host}`

/** `swap 1 B -A`: start-swap of generation 1, model B, evicting A; on another host than `local` B@host. */
export const brief = (command: Command): string => {
  switch (command.type) {
    case 'grant':
      return `grant ${command.request} ${at(command.placement)}`
    case 'reject':
      return `reject ${command.request} ${command.failure.code}`
    case 'close':
      return `close ${command.request} ${command.failure.code}`
    case 'start-swap':
      return ['swap', command.swap.generation, at(command.swap), ...command.swap.evict.map((id) => `-${id}`)].join(' ')
    case 'abort-swap':
      return `abort ${command.generation}`
    case 'stop':
      return ['stop', command.generation, ...command.placements.map((placement) => at(placement)), command.reason].join(
        ' ',
      )
    case 'answer-unload':
      return `answer ${command.unload}`
    default:
      return command satisfies never
  }
}
