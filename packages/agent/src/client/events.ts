import { agentEventSchema, type AgentFeedEvent } from '@lswap/core/protocol'
import type { ForwardTimers } from '../forward/timers.ts'
import { documents } from './lines.ts'
import type { Rpc } from './rpc.ts'

export interface EventsOptions {
  readonly rpc: Rpc
  readonly timers: ForwardTimers
  readonly start: () => string | undefined
  readonly onEvent: (event: AgentFeedEvent) => void
  /** The stream broke. Resolves when it was looked into. */
  readonly onBroken: () => Promise<void>
  /** Whether it should be there. */
  readonly isWanted: () => boolean
}

/** The events of an agent, each once and in order, over whatever breaks in between. */
export interface Events {
  open(): void
  close(): void
  /** Another start of the agent counts anew; what came after this number is to be told. */
  begin(after: number): void
  /** Resolves when the event of this number was told, or after a moment. */
  reached(number: number): Promise<void>
}

const AGAIN_MS = 100
/** What an agent tells about a failure comes at once, or its host is going. */
const REACH_MS = 500

export const createEvents = ({ rpc, timers, start, onEvent, onBroken, isWanted }: EventsOptions): Events => {
  let last: number | undefined
  let running: AbortController | undefined
  const waiting = new Set<{ readonly number: number; readonly tell: () => void }>()

  const take = (document: unknown): void => {
    const checked = agentEventSchema.safeParse(document)
    // From a newer agent: what it says is not for us
    if (!checked.success) return
    const event = checked.data
    if (event.type === 'hello') {
      if (event.start === start()) last = Math.max(last ?? 0, event.number)
    } else if ('number' in event) {
      const told = last ?? 0
      if (event.number <= told) return
      // Something before it is still to come, or got lost: it is asked for
      if (event.number > told + 1) throw new Error('an event came before the one before it')
      last = event.number
    }
    onEvent(event)
    for (const one of waiting) if (one.number <= (last ?? 0)) one.tell()
  }

  const read = async (signal: AbortSignal): Promise<void> => {
    const from = new URLSearchParams({ start: start() ?? '', ...(last === undefined ? {} : { after: String(last) }) })
    const call = { method: 'GET', path: `/v1/events?${from.toString()}`, signal } as const
    for await (const document of documents(rpc.stream(call))) {
      if (signal.aborted) return
      take(document)
    }
  }

  const run = async (controller: AbortController): Promise<void> => {
    const { signal } = controller
    while (!signal.aborted && isWanted()) {
      await read(signal).catch(() => {})
      if (signal.aborted) return
      await onBroken()
      if (!signal.aborted) await new Promise<void>((resolve) => void timers.after(AGAIN_MS, resolve))
    }
    if (running === controller) running = undefined
  }

  return {
    open: () => {
      if (running !== undefined) return
      running = new AbortController()
      void run(running)
    },
    close: () => {
      running?.abort()
      running = undefined
    },
    begin: (after) => {
      last = after
    },
    reached: (number) =>
      new Promise((resolve) => {
        if (number <= (last ?? 0)) return resolve()
        const tell = (): void => {
          waiting.delete(one)
          cancel()
          resolve()
        }
        const one = { number, tell }
        const cancel = timers.after(REACH_MS, tell)
        waiting.add(one)
        return undefined
      }),
  }
}
