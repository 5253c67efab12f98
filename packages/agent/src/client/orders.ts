import { failureOf, LswapError, modelId } from '@lswap/core'
import type { Failure, Generation, StopOutcome, Swap, SwapResult } from '@lswap/core'
import { stoppedSchema, swapLineSchema } from '@lswap/core/protocol'
import * as z from 'zod'
import type { StopOrder, SwapProgress } from '../agent.ts'
import type { ForwardTimers } from '../forward/timers.ts'
import { createKeptAnswers } from '../kept-answers.ts'
import { documents } from './lines.ts'
import type { Epochs } from './epochs.ts'
import type { Rpc } from './rpc.ts'
import { abortedBefore, failed, isRefused, progressOf, resultOf } from './swap-lines.ts'

export interface OrdersOptions {
  readonly rpc: Rpc
  readonly timers: ForwardTimers
  readonly epochs: Epochs
  readonly term: () => number | undefined
  /** Why the host can not be used; undefined: it can. */
  readonly failure: () => Failure | undefined
  /** Resolves when a broken call was looked into. */
  readonly onBroken: () => Promise<void>
  /** The agent says that another router is in charge. */
  readonly onFenced: (failure: Failure) => void
}

/** What is ordered from a remote agent: each order ends in one answer, whatever the connection does. */
export interface RemoteOrders {
  swap(order: Swap, onProgress: (progress: SwapProgress) => void): Promise<SwapResult>
  abort(generation: Generation): void
  stop(order: StopOrder, host: Swap['host']): Promise<readonly StopOutcome[]>
  /** The host is lost. Stops are told before that is known to others, swaps after it: `afterwards` tells those. */
  lose(failure: Failure): { readonly afterwards: () => void }
  /** The same start of the agent is back: loads that were given up meanwhile are ended there. */
  settle(): Promise<void>
  /** Another start: nothing that was ordered before is there. */
  forget(): void
}

/** The last resort of an agent whose router vanished: a load is bounded by its own limit long before. */
const DEADLINE_MS = 6 * 3_600_000
const ABORT_MS = 30_000
const AGAIN_MS = 100

interface Running {
  readonly seq: number
  readonly lose: (failure: Failure) => void
}

export const createRemoteOrders = (options: OrdersOptions): RemoteOrders => {
  const { rpc, timers, epochs, term, failure, onBroken, onFenced } = options
  const swaps = new Map<Generation, Running>()
  const stops = new Map<Generation, Running>()
  const once = createKeptAnswers()
  /** Swaps that ended here and perhaps not there. */
  const givenUp = new Set<number>()
  const aborted = new Set<number>()
  let count = 0
  let sending: Promise<void> = Promise.resolve()

  /** Heads go out one after the other, so that orders come in the order of their numbers. */
  const inTurn = (): { readonly turn: Promise<void>; readonly taken: () => void } => {
    const turn = sending
    let taken: (() => void) | undefined
    sending = new Promise<void>((resolve) => {
      taken = resolve
    })
    return { turn, taken: () => taken?.() }
  }

  const numbered = () => ({ term: term(), seq: (count += 1) })

  /** Calls again when the connection broke and the host is still there: the agent joins what it knows by its number. */
  const persist = async <Answer>(signal: AbortSignal, attempt: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (signal.aborted) throw error
        if (!(error instanceof LswapError) || !BROKEN.has(error.code)) throw error
        await onBroken()
        // Its end comes with the loss of the host, in the right order
        if (failure() !== undefined) return new Promise<never>(() => {})
        await new Promise<void>((resolve) => void timers.after(AGAIN_MS, resolve))
      }
    }
  }

  const told = (error: unknown): Failure => {
    const why = failureOf(error)
    if (why.code === 'fenced') onFenced(why)
    return why
  }

  const follow = async (
    body: object,
    signal: AbortSignal,
    seams: { readonly onProgress: (progress: SwapProgress) => void; readonly taken: () => void },
  ): Promise<SwapResult> => {
    const call = { method: 'POST', path: '/v1/swap', body, signal } as const
    for await (const document of documents(rpc.stream(call, seams.taken))) {
      const line = swapLineSchema.safeParse(document)
      if (!line.success) continue
      const result = resultOf(line.data, epochs)
      if (result !== undefined) return result
      const progress = progressOf(line.data)
      if (progress !== undefined) seams.onProgress(progress)
    }
    throw new LswapError({ code: 'host_unreachable', message: 'the agent ended a swap without its result' })
  }

  const runSwap = async (order: Swap, onProgress: (progress: SwapProgress) => void): Promise<SwapResult> => {
    const why = failure()
    if (why !== undefined) return afterTold(failed(order, why))
    const { turn, taken } = inTurn()
    const number = numbered()
    const controller = new AbortController()
    const lost = new Promise<Failure>((resolve) => {
      swaps.set(order.generation, { seq: number.seq, lose: resolve })
    })
    try {
      await turn
      const body = { ...number, model: order.model, evict: order.evict, deadlineMs: DEADLINE_MS }
      const answer = persist(controller.signal, () => follow(body, controller.signal, { onProgress, taken }))
      const end = await Promise.race([answer.catch((error: unknown) => failed(order, told(error))), lost])
      // An abort may overtake what it gives up, which is then refused
      if ('outcome' in end) return isRefused(end) && aborted.has(number.seq) ? abortedBefore(order) : end
      givenUp.add(number.seq)
      return failed(order, end)
    } finally {
      taken()
      controller.abort()
      aborted.delete(number.seq)
      swaps.delete(order.generation)
    }
  }

  const runStop = async (order: StopOrder, host: Swap['host']): Promise<readonly StopOutcome[]> => {
    const stuck = (why: Failure): readonly StopOutcome[] =>
      order.models.map((model) => ({ placement: { host, model }, outcome: 'stuck', failure: why }))
    const why = failure()
    if (why !== undefined) return afterTold(stuck(why))
    const { turn, taken } = inTurn()
    const number = numbered()
    const controller = new AbortController()
    const lost = new Promise<Failure>((resolve) => {
      stops.set(order.generation, { seq: number.seq, lose: resolve })
    })
    try {
      await turn
      const body = { ...number, models: order.models, timeoutMs: order.drainMs }
      const call = { method: 'POST', path: '/v1/stop', body, signal: controller.signal } as const
      const answer = persist(controller.signal, async () => {
        let text = ''
        for await (const part of rpc.stream(call, taken)) text += part
        const { outcomes } = stoppedSchema.parse(parsed(text))
        return outcomes.map(({ model, ...outcome }) =>
          Object.assign({ placement: { host, model: modelId(model) } }, outcome),
        )
      })
      const end = await Promise.race([answer.catch((error: unknown) => stuck(told(error))), lost])
      return 'code' in end ? stuck(end) : end
    } finally {
      taken()
      controller.abort()
      stops.delete(order.generation)
    }
  }

  const giveUp = async (of: number): Promise<void> => {
    const call = { method: 'POST', path: '/v1/abort', body: { ...numbered(), of }, deadlineMs: ABORT_MS } as const
    await rpc.json(call, z.object({}))
  }

  return {
    swap: (order, onProgress) => once(order.generation, () => runSwap(order, onProgress)),
    stop: (order, host) => once(order.generation, () => runStop(order, host)),
    abort: (generation) => {
      const running = swaps.get(generation)
      // The swap's own answer still comes, and decides
      if (running === undefined || failure() !== undefined) return
      aborted.add(running.seq)
      giveUp(running.seq).catch((error: unknown) => void told(error))
    },
    lose: (why) => {
      for (const { lose } of stops.values()) lose(why)
      const running = [...swaps.values()]
      return { afterwards: () => running.forEach(({ lose }) => lose(why)) }
    },
    settle: async () => {
      for (const seq of givenUp) {
        await giveUp(seq)
        givenUp.delete(seq)
      }
    },
    forget: () => givenUp.clear(),
  }
}

/** Who orders again at once must have heard by then that the host is lost. */
const afterTold = <Answer>(answer: Answer): Promise<Answer> =>
  new Promise((resolve) => {
    setImmediate(() => resolve(answer))
  })

const BROKEN: ReadonlySet<string> = new Set(['host_unreachable', 'timed_out'])

/** The body of an answer whose connection broke is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new LswapError({ code: 'host_unreachable', message: 'the agent ended an answer before its end' })
  }
}
