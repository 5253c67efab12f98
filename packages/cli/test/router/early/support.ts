import type { ModelConfig } from '@lswap/core'
import type { SwapProgress } from '@lswap/agent'
import { until } from '../support/ask.ts'
import { model } from '../support/config.ts'
import type { FakeForward } from '../support/fake-agent.ts'
import { rawClient, type RawClient } from '../support/raw-client.ts'
import { startRig, type Rig, type RigOptions } from '../support/rig.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'
import { queuePage } from '../support/waiting.ts'

export const told = (id: string, changes: Partial<ModelConfig> = {}): ModelConfig =>
  model(id, { sendLoadingState: true, ...changes })

export const CHAT = { model: 'a', stream: true }

/** Timers of a router that nobody asks anything. */
export const PULSE = 1

export interface EarlyRig extends Rig {
  readonly clock: VirtualClock
  /** Ends the running loads: ready, or failed. */
  readonly endLoad: (failure?: { readonly code: 'start_failed'; readonly message: string }) => void
  readonly progress: (progress: SwapProgress) => void
  /** A request on a connection of its own. */
  readonly send: (asked: Sent) => Promise<RawClient>
  /** The requests that reached an engine so far, once there are so many. */
  readonly served: (count: number) => Promise<FakeForward>
  /** Resolves once so many requests wait. */
  readonly waiting: (count: number, headers?: Readonly<Record<string, string>>) => Promise<void>
}

export interface Sent {
  readonly path?: string
  readonly body: object
  readonly headers?: string
}

interface Test {
  teardown(end: () => unknown): void
}

/** A router whose loads take until the test ends them, on a clock that stands still. */
export const startEarlyRig = async (t: Test, options: RigOptions = {}): Promise<EarlyRig> => {
  const clock = createVirtualClock()
  let end: EarlyRig['endLoad'] | undefined
  let progress: EarlyRig['progress'] | undefined
  const timings = { stopMs: 0, memoryMs: 0, loadMs: 0 }
  const rig = await startRig(t, {
    models: [told('a'), told('b')],
    clock,
    load: () =>
      new Promise((resolve) => {
        end = (failure) => resolve(failure && { outcome: 'failed', failure, evictions: [], timings })
      }),
    agent: (fake) => ({
      ...fake,
      swap: (order, onProgress) => {
        progress = (step) => onProgress?.(step)
        return fake.swap(order)
      },
    }),
    ...options,
  })
  const clients: RawClient[] = []
  t.teardown(() => clients.forEach(({ socket }) => socket.destroy()))
  return {
    ...rig,
    clock,
    endLoad: (failure) => end?.(failure),
    progress: (step) => progress?.(step),
    send: async ({ path = '/v1/chat/completions', body, headers = '' }) => {
      const client = await rawClient(rig.port)
      clients.push(client)
      const text = JSON.stringify(body)
      client.send(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`,
      )
      return client
    },
    served: async (count) => {
      await until(`${count} requests are served`, () => rig.agent.forwards.length >= count)
      return rig.agent.forwards[count - 1] as FakeForward
    },
    waiting: async (count, headers) => {
      while ((await queuePage(rig.port, '', headers)).total < count);
    },
  }
}

/** The payload of a chunked answer, as far as it has come. */
export const payload = (client: RawClient): string => {
  const text = client.text()
  let rest = text.slice(text.indexOf('\r\n\r\n') + 4)
  let body = ''
  for (;;) {
    const line = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.slice(0, line), 16)
    if (line < 0 || !(size > 0) || rest.length < line + 2 + size) return body
    body += rest.slice(line + 2, line + 2 + size)
    rest = rest.slice(line + 4 + size)
  }
}

/** The data of the events so far. */
export const eventsOf = (client: RawClient): readonly string[] =>
  payload(client)
    .split('\n\n')
    .filter((event) => event.includes('data: '))
    .map((event) => event.slice(event.indexOf('data: ') + 6))
