import {
  ANONYMOUS,
  createScheduler,
  epoch,
  LOCAL_HOST,
  modelId,
  requestId,
  schedulerOptions,
  type Command,
  type Failure,
  type HostId,
  type Placement,
  type Request,
  type RequestId,
  type SchedulerEvent,
} from '@lswap/core'
import type { Agent } from '@lswap/agent'
import { createRunLoop, type RunLoop } from '../../../src/router/loop.ts'
import type { OrderLimits } from '../../../src/router/loop/order-limits.ts'
import { config, model } from '../support/config.ts'
import { createFakeAgent, type FakeAgent } from '../support/fake-agent.ts'
import { recordingLog, type RecordingLog } from '../support/log.ts'
import { scriptedScheduler, type ScriptedScheduler } from '../support/scripted-scheduler.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'

export const A = modelId('a')
export const PLACE: Placement = { model: A, host: LOCAL_HOST }
export const BROKEN: Failure = { code: 'start_failed', message: 'It did not start.' }
export const CLOSING: Failure = { code: 'shutting_down', message: 'Closing.' }

/** A swap may take ten seconds, and any end two. */
const LIMITS: OrderLimits = { swapMs: () => 10_000, stopMs: () => 2_000 }

export const request = (id: number): Request => ({
  id: requestId(id),
  model: A,
  priority: 0,
  criticality: 'standard',
  caller: ANONYMOUS,
  takesSlot: true,
  noLoad: false,
})

export const grantOf = (id: RequestId): Command => ({ type: 'grant', request: id, placement: PLACE, epoch: epoch(1) })

export interface Rig {
  readonly loop: RunLoop
  readonly scheduler: ScriptedScheduler
  readonly agent: FakeAgent
  readonly clock: VirtualClock
  readonly log: RecordingLog
  /** What the scheduler was told, by type. */
  readonly told: () => string[]
}

export const rig = (
  script: (event: SchedulerEvent) => Command[] | undefined,
  agents?: ReadonlyMap<HostId, Agent>,
): Rig => {
  const clock = createVirtualClock()
  const log = recordingLog()
  const agent = createFakeAgent({ host: LOCAL_HOST })
  const scheduler = scriptedScheduler(script)
  const loop = createRunLoop({
    scheduler,
    agents: agents ?? new Map([[LOCAL_HOST, agent]]),
    orderLimits: LIMITS,
    clock,
    log,
  })
  return { loop, scheduler, agent, clock, log, told: () => scheduler.events.map(({ type }) => type) }
}

/** Models a and b, of which one runs at a time, on one host, with the real scheduler. */
export const startLoop = async (agent: Agent) => {
  const clock = createVirtualClock()
  const log = recordingLog()
  const loop = createRunLoop({
    scheduler: createScheduler(schedulerOptions(config([model('a'), model('b')]))),
    agents: new Map([[LOCAL_HOST, agent]]),
    orderLimits: LIMITS,
    clock,
    log,
  })
  await loop.start()
  const told: string[] = []
  const ask = (id: number, name: 'a' | 'b'): void =>
    loop.submit(
      { ...request(id), model: modelId(name) },
      {
        granted: () => void told.push(`${name} granted`),
        rejected: () => void told.push(`${name} rejected`),
      },
    )
  return { clock, log, loop, ask, told }
}

/** Grants every request at once. */
export const grantAll = (event: SchedulerEvent): Command[] | undefined =>
  event.type === 'request-received' ? [grantOf(event.request.id)] : undefined

export const ignore = { granted: () => {}, rejected: () => {} }
