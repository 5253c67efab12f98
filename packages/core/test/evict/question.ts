import { LOCAL_HOST, modelId, type EvictPlan, type EvictQuestion, type Resident } from '../../src/index.ts'

export const resident = (model: string, more: Partial<Omit<Resident, 'model'>> = {}): Resident => ({
  model: modelId(model),
  pinned: false,
  inFlight: 0,
  idleSince: 0,
  loading: false,
  reloadMs: undefined,
  drainMs: 0,
  ...more,
})

/** What must go for `target` while these run on one host. */
export const question = (target: string, residents: readonly Resident[], now = 0): EvictQuestion => ({
  memory: undefined,
  now,
  target: modelId(target),
  host: LOCAL_HOST,
  residents,
})

/** `-A -B`, or `impossible: A`. */
export const brief = (plan: EvictPlan): string =>
  plan.type === 'evict'
    ? plan.models.map((model) => `-${model}`).join(' ')
    : ['impossible:', ...plan.blockers].join(' ')
