import { setTimeout as pause } from 'node:timers/promises'
import type { Io, IoSignal } from '../../io.ts'
import type { Log } from '../../router/log.ts'

/** Something that runs until it is told to stop. */
export interface Service {
  /** Lets running work end, then stops everything. Idempotent. */
  close(): Promise<void>
  /** Stops everything now. Idempotent. */
  destroy(): Promise<void>
}

export interface ServiceOptions<Running extends Service> {
  readonly io: Pick<Io, 'onSignal' | 'onCrash'>
  readonly log: Log
  /** Leaves nothing behind when it rejects. */
  readonly start: () => Promise<Running>
  /** SIGHUP came; never before the start is over. */
  readonly onHangup: (running: Running) => void
  /** The longest that `close()` may take before it is cut short, in milliseconds. */
  readonly closeLimitMs: () => number
}

/** A kill needs no consent of the engines; what takes longer is beyond our reach. */
const DESTROY_LIMIT_MS = 5_000

/**
 * Starts a service and keeps it until SIGINT or SIGTERM: the first drains and stops it, the second kills now, and so do a
 * crash and a close beyond its limit. Returns the exit code: 0 after SIGTERM, 130 after Ctrl-C, 1 when it did not end cleanly.
 * Signals stay taken over until the process ends: one that comes while the last lines of the log are written would end it
 * with another code.
 */
export const runService = async <Running extends Service>(options: ServiceOptions<Running>): Promise<number> => {
  const { log } = options
  const hangups = afterOpening()
  const orders = listen(options, hangups.post)
  try {
    const service = options.start()
    service.then(
      (running) => hangups.open(() => options.onHangup(running)),
      () => {},
    )
    await Promise.race([service, orders.first])
    const first = await orders.first
    if (first !== 'crash')
      log.info({}, `${first}: stopping; running requests may end first (a second signal kills them now)`)
    const limitMs = options.closeLimitMs()
    const end = first === 'crash' ? 'crash' : await endOf(service, { second: orders.second, limitMs, log })
    if (end !== 'closed') {
      if (end === 'late') log.warn({}, `not stopped after ${limitMs / 1000} s: killing what is left`)
      await Promise.race([
        service.then((running) => running.destroy()),
        pause(DESTROY_LIMIT_MS, undefined, { ref: false }),
      ])
    }
    if (end === 'closed') log.info({}, 'stopped')
    if (first === 'SIGINT' || end === 'SIGINT') return 130
    return end === 'closed' ? 0 : 1
  } catch (error) {
    orders.release()
    throw error
  }
}

type Order = 'SIGINT' | 'SIGTERM' | 'crash'

interface Orders {
  readonly first: Promise<Order>
  readonly second: Promise<Order>
  readonly release: () => void
}

const listen = ({ io, log }: Pick<ServiceOptions<Service>, 'io' | 'log'>, onHangup: () => void): Orders => {
  const first = deferred<Order>()
  const second = deferred<Order>()
  let count = 0
  const order = (what: Order) => (): void => {
    count += 1
    const next = count === 1 ? first : second
    next.resolve(what)
  }
  const signal = (name: Exclude<Order, 'crash'> & IoSignal): (() => void) => io.onSignal(name, order(name))
  const releases = [
    signal('SIGINT'),
    signal('SIGTERM'),
    io.onSignal('SIGHUP', onHangup),
    io.onCrash((error) => {
      log.error({ err: error }, 'a bug in lswap: stopping every model')
      first.resolve('crash')
      second.resolve('crash')
    }),
  ]
  return {
    first: first.promise,
    second: second.promise,
    release: () => {
      for (const release of releases) release()
    },
  }
}

const endOf = async (
  service: Promise<Service>,
  { second, limitMs, log }: { second: Promise<Order>; limitMs: number; log: Log },
): Promise<Order | 'closed' | 'late'> => {
  const limit = new AbortController()
  // A start that fails leaves nothing to close: its own error is what ends the command
  const closed = service.then(async (running) => {
    try {
      await running.close()
      return 'closed' as const
    } catch (error) {
      log.error({ err: error }, 'the stop failed: killing what is left')
      return 'crash' as const
    }
  })
  const late = pause(limitMs, 'late' as const, { signal: limit.signal }).catch(() => 'late' as const)
  try {
    return await Promise.race([closed, second, late])
  } finally {
    limit.abort()
  }
}

/** Keeps one call until somebody can take it. */
const afterOpening = (): { readonly post: () => void; readonly open: (take: () => void) => void } => {
  let taker: (() => void) | undefined
  let isPosted = false
  return {
    post: () => (taker === undefined ? (isPosted = true) : taker()),
    open: (take) => {
      taker = take
      if (isPosted) take()
    },
  }
}

interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
}

const deferred = <Value>(): Deferred<Value> => {
  let settle: ((value: Value) => void) | undefined
  const promise = new Promise<Value>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle?.(value) }
}
