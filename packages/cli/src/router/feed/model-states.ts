import type { AgentMetrics, ModelPlacement, ModelState } from '@lswap/core/protocol'
import type { ModelConfig, ModelView, PlacementView, SchedulerView } from '@lswap/core'
import { needOf } from './need.ts'
import type { ProcessView } from '@lswap/agent'
import type { Measured } from '../fleet/measured.ts'
import { stateOf } from '../own/models.ts'
import type { TokenRates } from './token-rates.ts'
import { toldFailure } from './told-failure.ts'
import type { Waits } from './waits.ts'

type Named = Pick<ModelConfig, 'id' | 'name' | 'aliases'>

export interface ModelSources {
  readonly models: readonly Named[]
  readonly view: SchedulerView
  /** What the agents see, by host. */
  readonly processes: ReadonlyMap<string, readonly ProcessView[]>
  readonly measured?: Measured
  readonly waits?: Waits
  readonly tokens?: TokenRates
}

/** Models as people see them, in the given order. */
export const modelStates = (sources: ModelSources): ModelState[] =>
  sources.models.map((model) => modelState(model, sources.view.models.get(model.id), sources))

const modelState = (
  { id, name, aliases }: Named,
  view: ModelView | undefined,
  { processes, measured, tokens, waits, view: { hosts } }: ModelSources,
): ModelState => ({
  model: id,
  name: name ?? null,
  aliases: [...aliases],
  state: isOutOfReach(view, hosts) ? 'unreachable' : stateOf(view),
  pinned: view?.pinned ?? false,
  ...(view?.restoreAt === undefined ? {} : { restoreAt: Math.round(view.restoreAt) }),
  waiting: view?.waiting ?? 0,
  waitP95Ms: rounded(waits?.p95(id)),
  ...(tokens === undefined ? {} : { tokensPerSecond: tokens.perSecond(id) }),
  placements: (view?.placements ?? []).map((placement) =>
    placementState(
      placement,
      processes.get(placement.placement.host)?.find(({ model }) => model === id),
      deviceBytes(measured?.get(placement.placement.host), id),
    ),
  ),
})

/** There are hosts that may run it, and none of them answers. */
const isOutOfReach = (view: ModelView | undefined, hosts: SchedulerView['hosts']): boolean => {
  const placements = view?.placements ?? []
  const isDown = (host: string): boolean => hosts.find((one) => one.host === host)?.up === false
  return placements.length > 0 && placements.every(({ placement }) => isDown(placement.host))
}

/** What it takes of the devices, where a tool tells whose memory is whose. */
const deviceBytes = (metrics: AgentMetrics | undefined, model: string): number | undefined => {
  const told = metrics?.processes.find((one) => one.model === model)?.deviceBytes
  return told == null ? undefined : Object.values(told).reduce((sum, bytes) => sum + bytes, 0)
}

const placementState = (
  { placement, phase, sinceMs, slots, inFlight, holding, idleSince, idleUntil, size, ...rest }: PlacementView,
  process: ProcessView | undefined,
  onDevices: number | undefined,
): ModelPlacement => ({
  host: placement.host,
  state: phase,
  since: Math.round(sinceMs),
  slots: slots ?? null,
  inFlight: inFlight + holding,
  idleAt: rounded(idleSince),
  untilAt: rounded(idleUntil),
  // What an agent said a while ago may be of a process that is gone
  pid: phase === 'stopped' ? null : (process?.pid ?? null),
  memoryBytes: phase === 'stopped' ? null : (onDevices ?? process?.memoryBytes ?? null),
  size: size === undefined ? null : needOf(size),
  expectedLoadMs: rounded(rest.expectedLoadMs),
  failure: toldFailure(rest.lastFailure),
})

const rounded = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value))
