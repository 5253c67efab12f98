import { LOCAL_HOST } from '@lswap/core'
import type {
  DeviceBytes,
  DrainLimit,
  Failure,
  HostId,
  MemoryReport,
  ModelConfig,
  ModelId,
  Redact,
  StopOutcome,
  SwapResult,
} from '@lswap/core'
import type { AgentMetrics } from '@lswap/core/protocol'
import type { Agent, AgentEvent } from '../agent.ts'
import { systemDeviceClock, type DeviceClock } from '../devices/clock.ts'
import { createDevices, type Devices } from '../devices/devices.ts'
import { createUpstream } from '../forward/upstream.ts'
import type { LogFollowing } from '../logs/follow-log.ts'
import { SILENT } from '../logs/logger.ts'
import type { Logger } from '../logs/logger.ts'
import type { OpenConnections } from '../process/engine-connections.ts'
import type { StopIntent } from '../process/owner.ts'
import { createProcessMemories } from '../process/process-memory.ts'
import { redactedResult, redactedView } from '../redact/told.ts'
import { openAgentState } from '../state/agent-state.ts'
import { defaultStateDir } from '../state/state-dir.ts'
import { settledWithin } from '../process/wait.ts'
import { createHostMemory } from './host-memory.ts'
import { adoptKept } from './adopt-kept.ts'
import { forwardTo } from './forward.ts'
import { createMeasuring } from './measuring.ts'
import { createOrderBook } from './orders.ts'
import { createOwners } from './owners.ts'
import type { OwnersOptions } from './owners.ts'
import { endingHolders, preCheckStart } from './pre-check.ts'
import { runSwap, type MemoryWatch } from './run-swap.ts'

export interface EmbeddedAgentOptions {
  readonly models: readonly ModelConfig[]
  /** Default: `local`. */
  readonly host?: HostId
  /** Where run files and the lock lie; the default follows `LSWAP_STATE_DIR` and the XDG directories. */
  readonly stateDir?: string
  readonly log?: Logger
  /** Takes secrets out of what is told of engines and of the commands that are run. Absent: there are none. */
  readonly redact?: Redact
  readonly openConnections?: OpenConnections
  /** Devices that are declared; absent: those that are found. */
  readonly devices?: DeviceBytes | undefined
  /** How devices are read; default: with this machine's own tools. */
  readonly sensors?: Devices
  readonly clock?: DeviceClock
}

const NOTHING_TO_FOLLOW: LogFollowing = { pause() {}, resume() {}, stop() {} }
/** Timers can not be longer; drains have their own limits. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

const CLOSING: Failure = { code: 'shutting_down', message: 'lswap is shutting down' }
const UNLOADED: Failure = { code: 'unloaded', message: 'the model was unloaded while the request ran' }
const REFUSED: SwapResult = {
  outcome: 'failed',
  failure: CLOSING,
  evictions: [],
  timings: { stopMs: 0, memoryMs: 0, loadMs: 0 },
}

/** The agent of this machine. */
export interface EmbeddedAgent extends Agent {
  /** Takes over another configuration at once. What has to stop for it is stopped by whoever orders that. */
  reconfigure(models: readonly ModelConfig[], devices?: DeviceBytes): void
  /** What is measured on this machine. */
  readonly metrics: () => Promise<AgentMetrics>
  readonly memory: () => Promise<MemoryReport>
}

type Parts = Omit<OwnersOptions, 'onEvent' | 'onGone' | 'onReady'> & {
  readonly sensors: Devices
  readonly clock: DeviceClock
}

const buildAgent = async (parts: Parts): Promise<EmbeddedAgent> => {
  const { host, state, sensors, clock, redact } = parts
  const listeners = new Set<(event: AgentEvent) => void>()
  const onEvent = (event: AgentEvent): void => listeners.forEach((listener) => listener(event))
  const memories = createProcessMemories({ clock })
  const measuring = await createMeasuring({
    file: state.peaks,
    sensors,
    clock,
    owners: () => owners,
    memories,
    onSizes: () => onEvent({ type: 'sizes-changed' }),
  })
  const { peaks } = measuring
  const memory = createHostMemory({ sensors, clock, peakOf: (model) => peaks.peakOf(model) })
  const onGone = (): void => {
    memory.noteExit()
    measuring.noteExit()
  }
  const known = createOwners({ ...parts, onEvent, onGone, onReady: () => peaks.noteReady() })
  const { owners, logs } = known
  await adoptKept({ state, owners, log: parts.log })
  const orders = createOrderBook()
  let closing: Promise<void> | undefined

  // An agent that ends without having been closed, by a bug for example, still takes its engines along.
  const onExit = (): void => {
    for (const owner of owners.values()) owner.killNow()
  }
  process.once('exit', onExit)

  const stopEverything = async (intent: StopIntent): Promise<void> => {
    orders.abortAll()
    await Promise.all([...owners.values()].map((owner) => owner.ensureStopped(intent)))
  }

  /** What is to outlive us is left for the next agent, whoever takes it over then. */
  const close = async (): Promise<void> => {
    const leaving = [...owners.values()].filter((owner) => !owner.leave(CLOSING))
    orders.abortAll()
    await Promise.all(leaving.map((owner) => owner.ensureStopped({ drainMs: 0, failure: CLOSING })))
    process.removeListener('exit', onExit)
    sensors.close()
    await measuring.close()
    await state.release()
  }

  const stopOne = async (model: ModelId, drain: DrainLimit): Promise<StopOutcome> => {
    const drainMs = drain === 'never' ? Infinity : drain
    const report = await owners.get(model)?.ensureStopped({ drainMs, failure: UNLOADED })
    known.forgetGone()
    return { placement: { host, model }, ...(report ?? { outcome: 'stopped' }) }
  }

  return {
    host,
    async swap(order, onProgress = () => {}) {
      if (closing !== undefined) return REFUSED
      const owner = known.isConfigured(order.model) ? owners.get(order.model) : undefined
      const preCheck = async (): Promise<Failure | undefined> => owner && preCheckStart(owner, order.evict, owners)
      const portFreed = async (signal: AbortSignal): Promise<unknown> =>
        owner && settledWithin(Promise.all(endingHolders(owner, owners)), LONGEST_WAIT_MS, signal)
      const watchMemory = (isMakingRoom: boolean): MemoryWatch => memory.watch(owner?.definition(), isMakingRoom)
      const result = await orders.swap(order, (signal) =>
        runSwap({ order, owner, owners, preCheck, portFreed, watchMemory, signal, onProgress }),
      )
      return redactedResult(result, redact)
    },
    abort: (generation) => orders.abort(generation),
    stop: (order) =>
      orders.once(order.generation, () => {
        orders.cancelOlder(order.models, order.generation)
        return Promise.all(order.models.map((model) => stopOne(model, order.drainMs)))
      }),
    forward: ({ model }, epoch, request, handler) =>
      forwardTo(owners.get(model), { model, epoch }, { request, handler }),
    reconfigure(models, devices) {
      known.reconfigure(models)
      sensors.declare(devices)
      measuring.noteModels()
    },
    metrics: () => measuring.metrics(),
    memory: () => measuring.memory(),
    processes: async () =>
      [...owners.values()].map((owner) => {
        const view = owner.view()
        const held = view.pid === undefined ? undefined : memories.of(view.pid)
        return redactedView(Object.assign({}, view, { memoryBytes: held?.residentBytes }), redact)
      }),
    logs: async (model, tail) => logs.get(model)?.tail(tail) ?? [],
    followLogs(model, options) {
      return logs.get(model)?.tell(options) ?? NOTHING_TO_FOLLOW
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closing ??= close()
      return closing
    },
    async destroy() {
      closing ??= close()
      await stopEverything({ drainMs: 0, failure: CLOSING, now: true })
      await closing
    },
  }
}

const connectTo: OpenConnections = ({ limits, ...target }) => createUpstream({ ...target, ...limits })

/**
 * The agent of this machine, inside the router's process. Ends what an earlier agent of the same state directory left
 * behind. Throws `state_in_use` when another agent uses that directory.
 */
export const createEmbeddedAgent = async (options: EmbeddedAgentOptions): Promise<EmbeddedAgent> => {
  const { models, host = LOCAL_HOST, log = SILENT, redact = (text) => text, openConnections = connectTo } = options
  const state = await openAgentState(options.stateDir ?? defaultStateDir(), log)
  const sensors = options.sensors ?? (await createDevices({ log, declared: options.devices }))
  const clock = options.clock ?? systemDeviceClock
  return buildAgent({ host, models, state, log, redact, openConnections, sensors, clock })
}
