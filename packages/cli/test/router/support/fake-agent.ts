import { epoch, type Epoch, type Failure, type HostId, type ModelId, type Placement } from '@lswap/core'
import type { StopOutcome, Swap, SwapResult } from '@lswap/core'
import { createLogRing, followLog, type LogRing } from '@lswap/agent'
import type { Agent, AgentEvent, ForwardHandler, ForwardRequest, ProcessView, StopOrder } from '@lswap/agent'

/** One request that reached the fake, and the ways to answer it. */
export interface FakeForward {
  readonly placement: Placement
  readonly epoch: Epoch
  readonly request: ForwardRequest
  readonly handler: ForwardHandler
  aborted: boolean
  resumes: number
  /** What the client sent after a switch of protocols. */
  readonly written: Uint8Array[]
  /** The client sends no more. */
  ended: boolean
  /** The whole body, held and streamed. */
  body(): Promise<Buffer>
}

export interface FakeAgentOptions {
  readonly host: HostId
  /** How a load goes; ready at once when absent. */
  readonly load?: (order: Swap) => Promise<SwapResult | undefined>
  readonly stop?: (order: StopOrder) => Promise<readonly StopOutcome[] | undefined>
  /** Answers requests, never from within `forward`. */
  readonly answer?: (forward: FakeForward) => void
}

export interface FakeAgent extends Agent {
  readonly swaps: Swap[]
  readonly stops: StopOrder[]
  readonly aborts: number[]
  readonly forwards: FakeForward[]
  /** Models with a process now, and which start of it. */
  readonly running: Map<ModelId, Epoch>
  ends: string[]
  /** Its engine prints a line. */
  readonly print: (model: string, line: string) => void
  emit(event: AgentEvent): void
  crash(model: ModelId, failure?: Failure): void
}

const TIMINGS = { stopMs: 0, memoryMs: 0, loadMs: 0 }

/** An agent in memory: it keeps its word about results, and the test says how requests are answered. */
export const createFakeAgent = ({ host, load, stop, answer }: FakeAgentOptions): FakeAgent => {
  const listeners = new Set<(event: AgentEvent) => void>()
  const running = new Map<ModelId, Epoch>()
  const rings = new Map<string, LogRing>()
  const ringOf = (id: string): LogRing => {
    const ring = rings.get(id) ?? createLogRing()
    rings.set(id, ring)
    return ring
  }
  let epochs = 0
  const agent: FakeAgent = {
    host,
    swaps: [],
    stops: [],
    aborts: [],
    forwards: [],
    running,
    ends: [],
    print: (model, line) => ringOf(model).push(Buffer.from(line)),
    emit: (event) => listeners.forEach((listener) => listener(event)),
    crash: (model, failure = { code: 'upstream_died', message: 'The engine crashed.' }) => {
      const at = running.get(model)
      running.delete(model)
      if (at !== undefined) agent.emit({ type: 'process-exited', placement: { host, model }, epoch: at, failure })
    },
    swap: async (order) => {
      agent.swaps.push(order)
      for (const model of order.evict) running.delete(model)
      const told = await load?.(order)
      const evictions = order.evict.map((model) => ({ model, outcome: 'stopped' as const }))
      if (told !== undefined && told.outcome !== 'ready') return { ...told, evictions }
      epochs += 1
      running.set(order.model, epoch(epochs))
      return { outcome: 'ready', epoch: epoch(epochs), evictions, timings: TIMINGS }
    },
    abort: (generation) => void agent.aborts.push(generation),
    stop: async (order) => {
      agent.stops.push(order)
      const told = await stop?.(order)
      for (const model of order.models) running.delete(model)
      return told ?? order.models.map((model) => ({ placement: { host, model }, outcome: 'stopped' as const }))
    },
    forward: (placement, at, request, handler) => {
      const forward: FakeForward = {
        placement,
        epoch: at,
        request,
        handler,
        aborted: false,
        resumes: 0,
        written: [],
        ended: false,
        body: () => bodyOf(request),
      }
      agent.forwards.push(forward)
      process.nextTick(() => {
        if (!forward.aborted) answer?.(forward)
      })
      return {
        abort: () => {
          forward.aborted = true
        },
        resume: () => {
          forward.resumes += 1
        },
        write: (chunk) => {
          forward.written.push(chunk)
          return true
        },
        end: () => {
          forward.ended = true
        },
      }
    },
    processes: async () => [...running].map(([model, at]) => viewOf(model, at)),
    logs: async (model, tail) => ringOf(model).tail(tail),
    followLogs: (model, options) => followLog(ringOf(model), options),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => void agent.ends.push('close'),
    destroy: async () => void agent.ends.push('destroy'),
  }
  return agent
}

const viewOf = (model: ModelId, at: Epoch): ProcessView => ({
  model,
  phase: 'ready',
  epoch: at,
  pid: 4_000 + at,
  url: `http://127.0.0.1:5800`,
  since: 0,
  memoryBytes: 123_456,
  lastExit: undefined,
})

const bodyOf = async ({ body }: ForwardRequest): Promise<Buffer> => {
  const chunks = [...body.held]
  if (body.rest !== undefined) for await (const chunk of body.rest) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
