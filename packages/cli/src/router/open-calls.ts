import { failureOf, type RequestId } from '@lswap/core'
import type { Activity } from '../heap/idle-collection.ts'
import type { Call } from './call.ts'
import type { Clock } from './clock.ts'
import { dispatch } from './dispatch.ts'
import type { DispatchOptions } from './dispatch-options.ts'
import { failCall } from './fail-call.ts'
import { ForgettingMap } from './forgetting-map.ts'
import { openCall, type LiveCall } from './live-call.ts'
import type { Log } from './log.ts'
import type { Parting } from './parting.ts'
import type { Accepted } from './server.ts'

export interface OpenCallsOptions {
  readonly clock: Clock
  readonly log: Log
  readonly nextId: () => RequestId
  readonly parting: Pick<Parting, 'limit'>
  readonly isClosing: () => boolean
  /** What the next call knows, to its end. */
  readonly context: () => DispatchOptions
  readonly onEnd: (call: Call, ended: { readonly status: number; readonly durationMs: number }) => void
}

/** The calls from their heads to the ends of their answers. */
export interface OpenCalls extends Pick<ForgettingMap<RequestId, Call>, 'size' | 'get' | 'values'> {
  /** Numbers it and hands it to whom it asks for. Never throws. */
  accept(accepted: Accepted, listener: { readonly isLoopback: boolean }): LiveCall
  /** What goes on to engines. Whoever only looks on (dashboards, probes, scrapes) does so all the time. */
  activity(): Activity
}

export const createOpenCalls = (options: OpenCallsOptions): OpenCalls => {
  const { clock, log, nextId, parting, isClosing, context } = options
  const calls = new ForgettingMap<RequestId, Call>()
  let served = 0

  const onEnd = (call: Call, status: number): void => {
    calls.delete(call.id)
    if (isForEngine(call)) served += 1
    options.onEnd(call, { status, durationMs: clock.now() - call.startedAt })
  }

  return {
    get size() {
      return calls.size
    },
    get: (id) => calls.get(id),
    values: () => calls.values(),
    accept: ({ req, res, awaitsContinue, upgraded }, { isLoopback }) => {
      const id = nextId()
      const isLast = isClosing()
      const live = openCall({ id, req, res, awaitsContinue, clock, parting, isLast, upgraded, onEnd })
      calls.set(id, live.call)
      try {
        dispatch(context(), live.call, isLoopback)
      } catch (error) {
        log.error({ err: error, request: id }, 'bug: a request could not be taken on')
        if (res.headersSent) live.call.reset()
        else failCall(live.call, failureOf(error))
      }
      return live
    },
    activity: () => ({ isBusy: calls.values().some(isForEngine), count: served }),
  }
}

const isForEngine = ({ facts }: Call): boolean => facts.route === 'inference' || facts.route === 'upstream'
