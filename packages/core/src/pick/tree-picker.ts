import type { Candidate, Endpoint } from './endpoint.ts'
import { DROPPED } from './filter/drop.ts'
import { isCapable } from './filter/has-capacity.ts'
import type { FilterContext } from './filter/filter.ts'
import { runTree } from './node.ts'
import type { FilterNode } from './node.ts'
import type { OnSaturation, Pick, PickAnswer, Picker, PickStep, RandomSource, Saturated } from './picker.ts'
import { DEFAULT_PROFILE, DEFAULT_STALE_AFTER_MS, thresholdsOf } from './settings.ts'
import type { PickerSettings } from './settings.ts'
import { takeSnapshot } from './snapshot.ts'
import type { SnapshotOptions } from './snapshot.ts'
import { tiersOf } from './tiers.ts'
import type { Tier } from './tiers.ts'
import { FILTER_TREE, PREFIX_TREE } from './tree.ts'

export interface TreePickerOptions {
  readonly random: RandomSource
  /** Another tree than the usual one. */
  readonly tree?: FilterNode
  readonly name?: string
}

/** Of these only the gate refuses anything: each of their preferences keeps the one that there is. */
const USUAL: ReadonlySet<FilterNode> = new Set([FILTER_TREE, PREFIX_TREE])

// One survivor needs no draw. The bound holds against a source that returns 1.
const drawOne = (survivors: readonly Candidate[], random: RandomSource): Candidate | undefined =>
  survivors.length > 1
    ? survivors[Math.min(Math.floor(random() * survivors.length), survivors.length - 1)]
    : survivors[0]

const WHY_TIER: Readonly<Record<Tier['name'], string>> = {
  sampled: '',
  unsampled: '; it has no metrics yet, and none with metrics could take the request',
  stale: '; its metrics are old, and no other could take the request',
}

const chooseFrom = (survivors: readonly Candidate[], total: number, random: RandomSource): Pick | undefined => {
  const drawn = drawOne(survivors, random)
  if (drawn === undefined) return undefined
  const how = survivors.length === 1 ? 'kept this one' : `kept ${survivors.length}, chance took this one,`
  return { chosen: drawn.endpoint, reason: `the filter tree ${how} of ${total} ready replicas` }
}

const ONLY_ONE = 'the filter tree kept this one of 1 ready replicas'
const ONLY_ONE_STALE = ONLY_ONE + WHY_TIER.stale

const saturated = (
  endpoints: readonly Endpoint[],
  onSaturation: OnSaturation,
  outcome: { readonly error: string | undefined; readonly trace: readonly PickStep[] },
): Saturated => ({
  chosen: undefined,
  reason: `the filter tree kept none of ${endpoints.length} ready replicas`,
  failure: {
    code: 'resource_exhausted',
    message: outcome.error ?? DROPPED.error,
    hint: 'Try again later, send the request as critical, or raise the thresholds under routing.picker.',
  },
  onSaturation,
  trace: outcome.trace,
})

/** Runs the filter tree over one snapshot of the endpoints and takes any survivor with equal chance. */
export const treePicker = (settings: PickerSettings, options: TreePickerOptions): Picker<PickAnswer> => {
  const { random, tree = FILTER_TREE, name: ownName = 'tree' } = options
  const thresholds = thresholdsOf(settings)
  const onSaturation = settings.onSaturation ?? 'wait'
  const snapshot: SnapshotOptions = {
    profile: settings.profile ?? DEFAULT_PROFILE,
    staleAfterMs: settings.staleAfterMs ?? DEFAULT_STALE_AFTER_MS,
    unknownKv: thresholds.kvCacheThreshold,
  }
  return {
    name: ownName,
    takesOnly(request, endpoint, now) {
      if (!USUAL.has(tree)) return undefined
      const candidate = takeSnapshot(endpoint, now, snapshot)
      if (request.criticality !== 'critical' && !isCapable(candidate, thresholds)) return undefined
      return candidate.sample === 'stale' ? ONLY_ONE_STALE : ONLY_ONE
    },
    pick(request, endpoints, now): PickAnswer {
      const all = endpoints.map((endpoint) => takeSnapshot(endpoint, now, snapshot))
      const context: FilterContext = {
        critical: request.criticality === 'critical',
        target: request.adapter ?? request.model,
        chain: request.prefix,
        thresholds,
        random,
      }
      const tiers = tiersOf(all)
      const trace: PickStep[] = []
      let error: string | undefined
      for (const { name, candidates } of tiers) {
        if (tiers.length > 1) trace.push({ node: `tier-${name}`, in: all, out: candidates, result: 'success' })
        const result = runTree(tree, { candidates, context }, trace)
        const pick = chooseFrom(result.survivors, all.length, random)
        if (pick !== undefined) return { chosen: pick.chosen, reason: pick.reason + WHY_TIER[name], trace }
        error = result.error
      }
      return saturated(endpoints, onSaturation, { error, trace })
    },
  }
}
