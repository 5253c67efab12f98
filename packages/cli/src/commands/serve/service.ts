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

export interface ServiceOptions {
  readonly io: Pick<Io, 'onSignal' | 'onCrash'>
  readonly log: Log
  /** Leaves nothing behind when it rejects. */
  readonly start: () => Promise<Service>
  /** The longest that `close()` may take before it is cut short, in milliseconds. */
  readonly closeLimitMs: number
}

/** A kill needs no consent of the engines; what takes longer is beyond our reach. */
const DESTROY_LIMIT_MS = 5_000

/**
 * Starts a service and keeps it until SIGINT or SIGTERM: the first drains and stops it, the second kills now, and so do a
 * crash and a close beyond its limit. Returns the exit code: 0 after SIGTERM, 130 after Ctrl-C, 1 when it did not end cleanly.
 */
export const runService = async (options: ServiceOptions): Promise<number> => {
  const { log, closeLimitMs } = options
  const orders = listen(options)
  try {
    const service = options.start()
    await Promise.race([service, orders.first])
    const first = await orders.first
    if (first !== 'crash')
      log.info({}, `${first}: stopping; running requests may end first (a second signal kills them now)`)
    const end =
      first === 'crash' ? 'crash' : await endOf(service, { second: orders.second, limitMs: closeLimitMs, log })
    if (end !== 'closed') {
      if (end === 'late') log.warn({}, `not stopped after ${closeLimitMs / 1000} s: killing what is left`)
      await Promise.race([
        service.then((running) => running.destroy()),
        pause(DESTROY_LIMIT_MS, undefined, { ref: false }),
      ])
    }
    if (end === 'closed') log.info({}, 'stopped')
    if (first === 'SIGINT' || end === 'SIGINT') return 130
    return end === 'closed' ? 0 : 1
  } finally {
    orders.release()
  }
}

type Order = 'SIGINT' | 'SIGTERM' | 'crash'

interface Orders {
  readonly first: Promise<Order>
  readonly second: Promise<Order>
  readonly release: () => void
}

const listen = ({ io, log }: ServiceOptions): Orders => {
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
    io.onSignal('SIGHUP', () => log.info({}, 'SIGHUP: ignored; restart lswap to read the configuration again')),
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
