import assert from 'node:assert/strict'
import type { ModelId, Request, RequestId, SchedulerEvent } from '../../../src/index.ts'
import type { VirtualClock } from './clock.ts'
import type { Process } from './host.ts'
import type { Action } from './setup.ts'

/** What a client asked, and how far it is. */
export interface Asked {
  readonly request: Request
  readonly receivedAt: number
  readonly plan: Extract<Action, { type: 'ask' }>
  state: 'waiting' | 'granted' | 'ended'
  attempts: number
  isClosed: boolean
  servedBy: Process | undefined
}

type Outcome = Extract<SchedulerEvent, { readonly type: 'serve-done' }>['outcome']

export interface RequestsOptions {
  readonly clock: VirtualClock
  readonly onServed: (request: RequestId, outcome: Outcome) => void
}

/** Every request and its one end. */
export const makeRequests = ({ clock, onServed }: RequestsOptions) => {
  const all = new Map<RequestId, Asked>()
  const get = (id: RequestId): Asked => {
    const asked = all.get(id)
    assert.ok(asked !== undefined, `request ${id} was never made`)
    return asked
  }
  const endServing = (asked: Asked, attempt: number, outcome: Outcome): void => {
    if (asked.state !== 'granted' || asked.attempts !== attempt) return
    asked.state = outcome === 'retry' ? 'waiting' : 'ended'
    asked.servedBy = undefined
    onServed(asked.request.id, outcome)
  }
  return {
    all: (): Asked[] => [...all.values()],
    waiting: (): Asked[] => [...all.values()].filter(({ state }) => state === 'waiting'),
    waitingFor: (model: ModelId): Asked[] =>
      [...all.values()].filter(({ state, request }) => state === 'waiting' && request.model === model),
    get,
    add(request: Request, plan: Asked['plan']): void {
      all.set(request.id, {
        request,
        receivedAt: clock.now,
        plan,
        state: 'waiting',
        attempts: 0,
        isClosed: false,
        servedBy: undefined,
      })
    },
    grant(id: RequestId, process: Process): void {
      const asked = get(id)
      assert.equal(asked.state, 'waiting', `request ${id} is granted while ${asked.state}`)
      asked.state = 'granted'
      asked.servedBy = process
      asked.attempts += 1
      asked.isClosed = false
      const attempt = asked.attempts
      // Some clients leave before the answer
      const end = asked.plan.serveMs % 4 === 1 ? 'given-up' : 'done'
      const outcome = attempt <= asked.plan.failures ? 'retry' : end
      clock.after(asked.plan.serveMs, () => endServing(asked, attempt, outcome))
    },
    /** What only looked ends as it is told to. */
    close(id: RequestId): void {
      const asked = get(id)
      asked.isClosed = true
      clock.after(asked.plan.cutMs, () => endServing(asked, asked.attempts, 'done'))
    },
    reject(id: RequestId): void {
      const asked = get(id)
      assert.equal(asked.state, 'waiting', `request ${id} is rejected while ${asked.state}`)
      asked.state = 'ended'
    },
    servedBy: (process: Process): Asked[] => [...all.values()].filter((asked) => asked.servedBy === process),
    /** Its streams break: those without an answer yet can be sent again. */
    cut(process: Process, why: 'evicted' | 'died'): void {
      for (const asked of all.values()) {
        if (asked.servedBy !== process) continue
        const { attempts, plan } = asked
        const outcome = why === 'died' && plan.cutMs % 2 === 0 ? 'retry' : 'done'
        clock.after(plan.cutMs, () => endServing(asked, attempts, outcome))
      }
    },
  }
}
