import type { FeedState, HostState, ModelPlacement, ModelState, ProcessState } from '@lswap/core/protocol'
import { toldFailure } from '../../router/feed/told-failure.ts'
import { failureOf, type AgentsView, type HostView } from './view.ts'

/** A reading that is older than this, against the look that tells it, may be wrong. */
const STALE_MS = 10_000
/** Engines are asked every second or two; one that is too busy to answer is not shown as it was before that. */
const OLD_SAMPLE_MS = 5_000
const PHASES = { stopped: 'stopped', starting: 'loading', ready: 'ready', stopping: 'stopping' } as const
/** Of a model on several hosts the first of these counts. */
const FURTHEST = ['ready', 'loading', 'stopping', 'unknown', 'stopped']

/** What agents tell, in the words of a router's feed, so that the same panels show it. */
export const feedStateOf = ({ hosts, swaps, notices }: AgentsView): FeedState => ({
  router: { version: '', startedAt: 0, isClosing: false },
  hosts: hosts.map(hostState),
  models: modelStates(hosts),
  queue: { total: 0, bands: [] },
  waiting: [],
  running: [],
  ended: [],
  swaps: [...swaps],
  rates: { requestsPerSecond: 0, tokensPerSecond: null, swapsPerMinute: 0, wastedLoads: 0 },
  notices: [...notices],
})

const hostState = ({ host, look, failure }: HostView): HostState => ({
  host,
  up: failure === undefined && look !== undefined,
  failure: toldFailure(failure),
  isInUse: look?.isInUse === true,
  devices: (look?.devices ?? []).map(({ name, totalBytes, usedBytes, use, sampledAt }) => ({
    name,
    totalBytes,
    usedBytes,
    use,
    isStale: failure !== undefined || (look?.at ?? 0) - sampledAt > STALE_MS,
  })),
})

const modelStates = (hosts: readonly HostView[]): ModelState[] => {
  const placements = new Map<string, ModelPlacement[]>()
  for (const view of hosts) {
    for (const state of view.look?.states ?? []) {
      const known = placements.get(state.model) ?? []
      placements.set(state.model, [...known, placementOf(view, state)])
    }
  }
  return [...placements].map(([model, places]) => ({
    model,
    name: null,
    aliases: [],
    state: FURTHEST.find((state) => places.some((one) => one.state === state)) ?? 'stopped',
    pinned: false,
    waiting: 0,
    waitP95Ms: null,
    placements: places,
  }))
}

const placementOf = ({ host, look, failure }: HostView, state: ProcessState): ModelPlacement => ({
  host,
  // Nobody knows what became of it
  state: failure === undefined ? PHASES[state.phase] : 'unknown',
  since: state.since,
  slots: state.slots,
  inFlight: 0,
  ...(failure === undefined ? busySlots(look, state.model) : {}),
  idleAt: null,
  untilAt: null,
  pid: state.pid,
  memoryBytes: deviceBytes(look, state.model) ?? state.memoryBytes,
  expectedLoadMs: null,
  failure: state.phase === 'stopped' ? quoted(state) : null,
})

/** What it takes of the devices, where a tool tells whose memory is whose. */
const deviceBytes = (look: HostView['look'], model: string): number | undefined => {
  const told = look?.processes.find((one) => one.model === model)?.deviceBytes
  return told == null ? undefined : Object.values(told).reduce((sum, count) => sum + count, 0)
}

/** What its engine said of itself lately. */
const busySlots = (look: HostView['look'], model: string): Pick<ModelPlacement, 'busySlots'> => {
  const engine = look?.processes.find((one) => one.model === model)?.engine
  if (look === undefined || engine?.running === undefined || look.at - engine.sampledAt > OLD_SAMPLE_MS) return {}
  return { busySlots: engine.running }
}

const quoted = (state: ProcessState): ModelPlacement['failure'] => {
  const failure = failureOf(state)
  if (failure === null) return null
  return { ...failure, message: [failure.message, ...(state.lastExit?.lastLines ?? [])].join('\n') }
}
