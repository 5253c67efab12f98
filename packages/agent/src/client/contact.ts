import { LswapError, type Failure } from '@lswap/core'
import { AGENT_HEADERS, AGENT_PROTOCOL } from '@lswap/core/protocol'
import type { ForwardTimers } from '../forward/timers.ts'
import type { Logger } from '../logs/logger.ts'
import type { Rpc, RpcAnswer } from './rpc.ts'
import { createWatch } from './watch.ts'

export interface ContactOptions {
  readonly rpc: Rpc
  readonly timers: ForwardTimers
  readonly log: Logger
  readonly silenceMs: number
  /** Takes the host over where that was not done, and learns what is to be known of it. Throws what is in the way. */
  readonly onAnswer: (start: string) => Promise<void>
  /** It can be used from now on. */
  readonly onUp: () => void
  readonly onLost: (failure: Failure) => void
  /** The term of this router, once it has one. */
  readonly term: () => number | undefined
}

/** Whether an agent is there. */
export interface Contact {
  start(): void
  heard(): void
  isUp(): boolean
  /** Why it is not there, once that was found out. */
  failure(): Failure | undefined
  /** Resolves when the first attempt to reach it has ended. */
  readonly tried: Promise<void>
  /** Something points to its end. Resolves when that was looked into: it is up or lost then, or does not answer yet. */
  suspect(): Promise<void>
  /** It is to be known anew: another start of it answered. */
  restart(failure: Failure): void
  /** Another router is in charge: this one never comes back by itself. */
  fence(failure: Failure): void
  stop(): void
}

const PING_MS = 1_000
const ANSWER_MS = 2_000
/** A ping that makes sure, right after something broke. */
const SURE_MS = 1_000
/** The longest pause of them leaves the rest of a second for the calls that take a host back. */
const PAUSES_MS = [50, 100, 200, 400, 600]

export const createContact = (options: ContactOptions): Contact => {
  const { rpc, timers, log, silenceMs, onAnswer, onUp, onLost, term } = options
  let phase: 'new' | 'down' | 'up' | 'fenced' | 'ended' = 'new'
  let failure: Failure | undefined
  let start: string | undefined
  let attempts = 0
  let cancel: (() => void) | undefined
  let suspicion: Promise<void> | undefined
  let endTry: (() => void) | undefined
  const tried = new Promise<void>((resolve) => {
    endTry = resolve
  })
  const watch = createWatch({
    timers,
    silenceMs,
    onSilent: () =>
      lose({ code: 'host_unreachable', message: `nothing was heard from the agent for ${silenceMs / 1000} s` }),
  })

  const lose = (why: Failure): void => {
    if (phase !== 'up') return
    phase = 'down'
    failure = why
    attempts = 0
    watch.stop()
    log.warn({ reason: why.message }, 'the agent of a host is lost')
    onLost(why)
    plan()
  }

  const fence = (why: Failure): void => {
    if (phase === 'ended' || phase === 'fenced') return
    phase = 'fenced'
    failure = why
    cancel?.()
    watch.stop()
    log.error({ reason: why.message }, 'this router may not use a host any more')
    // Also where it was lost already: from such a loss it does not come back
    onLost(why)
    endTry?.()
  }

  const ping = async (deadlineMs: number, keepsConnection = false): Promise<RpcAnswer> =>
    rpc.head({ method: 'HEAD', path: '/v1/agent', deadlineMs, keepsConnection })

  const look = async (deadlineMs: number, keepsConnection = false): Promise<void> => {
    const answer = await ping(deadlineMs, keepsConnection)
    const own = term()
    if (own !== undefined && termIn(answer) > own) return fence(overtaken(own, termIn(answer)))
    if (startIn(answer) !== start) lose({ code: 'host_unreachable', message: 'the agent was restarted' })
    return undefined
  }

  const attempt = async (): Promise<void> => {
    try {
      const answer = await ping(ANSWER_MS)
      const own = term()
      if (own !== undefined && termIn(answer) > own) return fence(overtaken(own, termIn(answer)))
      const from = startIn(answer)
      await onAnswer(from)
      if (phase === 'ended' || phase === 'fenced') return undefined
      start = from
      phase = 'up'
      failure = undefined
      watch.start()
      onUp()
      arm()
    } catch (error) {
      if (phase === 'ended' || phase === 'fenced') return undefined
      const why = reasonOf(error)
      if (why.code === 'fenced') return fence(why)
      if (failure?.message !== why.message) log.warn({ reason: why.message }, 'the agent of a host can not be used')
      failure = why
      phase = 'down'
      plan()
    }
    return endTry?.()
  }

  /** Once a second while it is there. */
  const arm = (): void => {
    cancel?.()
    cancel = timers.after(PING_MS, () => {
      if (phase !== 'up') return
      void beat()
      arm()
    })
  }

  let beating = false
  const beat = async (): Promise<void> => {
    // One at a time: what is silent gets no heap of them
    if (beating) return
    beating = true
    try {
      // What is in doubt is asked on a new connection: the one that there was may be dead on one side only
      await look(silenceMs, true)
    } catch (error) {
      await doubt(error)
    } finally {
      beating = false
    }
  }

  /** A connection that broke says little, two in a row that there is nobody. */
  const doubt = async (first: unknown): Promise<void> => {
    if (phase !== 'up' || isLate(first)) return
    try {
      await look(SURE_MS)
    } catch (error) {
      if (!isLate(error)) lose(reasonOf(error))
    }
  }

  const plan = (): void => {
    cancel?.()
    const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length - 1)] ?? 0
    attempts += 1
    cancel = timers.after(pause, () => void attempt())
  }

  const suspect = async (): Promise<void> => {
    try {
      if (phase === 'up') await look(SURE_MS)
    } catch (error) {
      await doubt(error)
    }
  }

  return {
    tried,
    start: () => void attempt(),
    heard: () => watch.heard(),
    isUp: () => phase === 'up',
    failure: () => failure,
    suspect: () => {
      suspicion ??= suspect().finally(() => {
        suspicion = undefined
      })
      return suspicion
    },
    restart: lose,
    fence,
    stop: () => {
      phase = 'ended'
      cancel?.()
      watch.stop()
      endTry?.()
    },
  }
}

/** Throws what makes the agent unfit. */
const startIn = ({ headers }: RpcAnswer): string => {
  const [protocol, from] = [headers[AGENT_HEADERS.protocol], headers[AGENT_HEADERS.start]]
  if (protocol !== String(AGENT_PROTOCOL) || typeof from !== 'string') {
    const message = `its agent speaks version ${String(protocol)} of the protocol, this lswap version ${AGENT_PROTOCOL}`
    throw new LswapError({
      code: 'host_unreachable',
      message,
      hint: 'Run the same version of lswap on both machines.',
    })
  }
  return from
}

const termIn = ({ headers }: RpcAnswer): number => Number(headers[AGENT_HEADERS.term] ?? 0)

const isLate = (error: unknown): boolean => error instanceof LswapError && error.code === 'timed_out'

/** Whatever it is, the host can not be used for it. */
const reasonOf = (error: unknown): Failure => {
  if (!(error instanceof LswapError))
    return { code: 'host_unreachable', message: error instanceof Error ? error.message : String(error) }
  return error.code === 'fenced' ? error.failure : { ...error.failure, code: 'host_unreachable' }
}

const overtaken = (own: number, highest: number): Failure => ({
  code: 'fenced',
  message: `another router has taken this host over: it has term ${highest}, this one has ${own}`,
  hint: 'Stop one of the two routers; the one that was started last is in charge.',
})
