import { epoch, hostId, modelId, type Failure, type Generation, type ModelId, type SwapResult } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Agent, AgentEvent, ProcessView, StopOrder, SwapProgress } from '../../../src/agent.ts'
import { createRemoteAgent, type RemoteAgent } from '../../../src/client/remote-agent.ts'
import { createUpstream } from '../../../src/forward/upstream.ts'
import type { ForwardTimers } from '../../../src/forward/timers.ts'
import { createAgentServer, type AgentServer } from '../../../src/server/agent-server.ts'
import { recordedLog } from '../../process/support/recorded-log.ts'
import { startEngine, type Engine } from '../../forward/support/engine.ts'

export const HOST = hostId('gpu-box')
export const A = modelId('org/a:Q4')
export const B = modelId('b')
export const TOKEN = 'a-token-of-the-test-0123456789'

/** What a double of an agent was asked for. */
export interface Asked {
  readonly swaps: Map<
    ModelId,
    {
      readonly generation: Generation
      readonly evict: readonly ModelId[]
      readonly progress: (progress: SwapProgress) => void
      readonly end: (result: SwapResult) => void
    }
  >
  readonly aborted: Generation[]
  readonly stops: StopOrder[]
  swapCount: number
}

export interface HostDouble {
  readonly agent: Agent
  readonly asked: Asked
  /** What runs there. */
  readonly views: Map<ModelId, ProcessView>
  readonly engine: Engine
  ready(model: ModelId, number: number): void
  crash(model: ModelId, number: number, failure: Failure): void
  /** Something else happened there. */
  tell(event: AgentEvent): void
  models: ModelId[]
}

const NONE = { pid: undefined, url: undefined, since: 1, memoryBytes: undefined, lastExit: undefined }
export const NO_TIME = { stopMs: 0, memoryMs: 0, loadMs: 0 }

/** An agent whose engine is a raw socket that the test speaks through. */
export const hostDouble = async (t: Test): Promise<HostDouble> => {
  const engine = await startEngine(t)
  const upstream = createUpstream({ host: '127.0.0.1', port: engine.port })
  const listeners = new Set<(event: AgentEvent) => void>()
  const views = new Map<ModelId, ProcessView>()
  const asked: Asked = { swaps: new Map(), aborted: [], stops: [], swapCount: 0 }
  const double: HostDouble = {
    asked,
    views,
    engine,
    models: [A, B],
    ready: (model, number) =>
      void views.set(model, {
        ...NONE,
        model,
        phase: 'ready',
        epoch: epoch(number),
        pid: 1000 + number,
        url: 'http://127.0.0.1:1',
      }),
    crash: (model, number, failure) => {
      views.delete(model)
      for (const listener of listeners) {
        listener({ type: 'process-exited', placement: { host: HOST, model }, epoch: epoch(number), failure })
      }
    },
    tell: (event) => listeners.forEach((listener) => listener(event)),
    agent: {
      host: HOST,
      swap: (order, onProgress = () => {}) =>
        new Promise((resolve) => {
          asked.swapCount += 1
          const { generation, evict } = order
          asked.swaps.set(order.model, { generation, evict, progress: onProgress, end: resolve })
        }),
      abort: (generation) => {
        asked.aborted.push(generation)
        for (const swap of asked.swaps.values()) {
          if (swap.generation === generation) swap.end({ outcome: 'aborted', evictions: [], timings: NO_TIME })
        }
      },
      stop: async (order) => {
        asked.stops.push(order)
        return order.models.map((model) => ({ placement: { host: HOST, model }, outcome: 'stopped' }))
      },
      forward: ({ model }, number, request, handler) => {
        if (views.get(model)?.epoch === number) return upstream.forward(request, handler)
        const failure: Failure = { code: 'upstream_unreachable', message: 'the process is not ready any more' }
        process.nextTick(() => handler.onError({ failure, answered: false }))
        return { abort: () => {}, resume: () => {}, write: () => true, end: () => {} }
      },
      processes: async () => [...views.values()],
      logs: async (model, tail) => ['one', 'two', `of ${model}`].slice(-tail),
      followLogs: (_model, { onText }) => {
        setImmediate(() => onText('followed\n'))
        return { pause: () => {}, resume: () => {}, stop: () => {} }
      },
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      close: async () => {},
      destroy: async () => {},
    },
  }
  return double
}

export interface RunningServer {
  readonly server: AgentServer
  readonly url: string
  readonly port: number
  /** As when the process is killed. */
  kill(): Promise<void>
}

export const serverOf = async (
  t: Test,
  double: HostDouble,
  {
    port = 0,
    timers,
    term = 0,
    keepTerm = async () => {},
  }: {
    readonly port?: number
    readonly timers?: ForwardTimers
    readonly term?: number
    readonly keepTerm?: () => Promise<void>
  } = {},
): Promise<RunningServer> => {
  const server = createAgentServer({
    agent: double.agent,
    id: 'box',
    models: () => double.models,
    token: TOKEN,
    version: '0.0.0',
    termFile: { first: term, write: keepTerm },
    log: recordedLog(),
    ...(timers === undefined ? {} : { timers }),
  })
  const listener: Server = server.serverFor({ isLoopback: true, tls: undefined })
  listener.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  const kill = async (): Promise<void> => {
    server.close()
    listener.closeAllConnections()
    if (listener.listening) await new Promise((resolve) => void listener.close(resolve))
  }
  t.teardown(kill)
  const bound = (listener.address() as AddressInfo).port
  return { server, url: `http://127.0.0.1:${bound}`, port: bound, kill }
}

export interface Watched {
  readonly remote: RemoteAgent
  /** Types of events, in order. */
  readonly events: AgentEvent[]
  readonly log: ReturnType<typeof recordedLog>
}

export const remoteOf = (
  t: Test,
  url: string,
  options: { readonly timers?: ForwardTimers; readonly token?: string } = {},
): Watched => {
  const log = recordedLog()
  const { timers, token = TOKEN } = options
  const remote = createRemoteAgent({ host: HOST, url, token, log, ...(timers === undefined ? {} : { timers }) })
  const events: AgentEvent[] = []
  remote.subscribe((event) => events.push(event))
  t.teardown(() => remote.close())
  return { remote, events, log }
}

/** Polls; nothing else tells when another part of the process has got as far. */
export const until = async <Found>(
  what: string,
  look: () => Found | undefined | false,
  limitMs = 60_000,
): Promise<Found> => {
  const end = performance.now() + limitMs
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`)
    await pause(5)
  }
}

/** A call by hand. */
export const call = (
  url: string,
  path: string,
  init: { method?: string; body?: object | string; headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    headers: {
      [AGENT_HEADERS.token]: TOKEN,
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...init.headers,
    },
    ...(init.body === undefined ? {} : { body: typeof init.body === 'string' ? init.body : JSON.stringify(init.body) }),
  })
