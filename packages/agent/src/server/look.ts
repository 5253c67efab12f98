import type { AgentLook, AgentMetrics, ProcessState } from '@lswap/core/protocol'
import type { ProcessView } from '../agent.ts'

const stateOf = (view: ProcessView): ProcessState => ({
  model: view.model,
  phase: view.phase,
  epoch: view.epoch ?? null,
  pid: view.pid ?? null,
  slots: view.slots ?? null,
  url: view.url ?? null,
  since: view.since,
  memoryBytes: view.memoryBytes ?? null,
  lastExit:
    view.lastExit === undefined
      ? null
      : {
          code: view.lastExit.code ?? null,
          signal: view.lastExit.signal ?? null,
          reason: view.lastExit.reason,
          lastLines: [...view.lastExit.lastLines],
        },
})

/** What is known of a machine without any tool: its processes. */
const plainMetrics = (views: readonly ProcessView[], at: number): AgentMetrics => ({
  at,
  memory: null,
  devices: [],
  processes: views.flatMap((view) =>
    view.pid === undefined
      ? []
      : {
          model: view.model,
          epoch: view.epoch ?? null,
          pid: view.pid,
          memoryBytes: view.memoryBytes ?? null,
          deviceBytes: null,
          engine: null,
        },
  ),
})

export interface Looking {
  readonly processes: () => Promise<readonly ProcessView[]>
  readonly measure: (() => Promise<AgentMetrics>) | undefined
  readonly lastEvent: () => number
  readonly isInUse: () => boolean
}

/** One look at everything. */
export const lookAt = async ({ processes, measure, lastEvent, isInUse }: Looking): Promise<AgentLook> => {
  // Before the look: what it shows is at least as new as that
  const event = lastEvent()
  const views = await processes()
  const metrics = (await measure?.()) ?? plainMetrics(views, Date.now())
  return { ...metrics, event, isInUse: isInUse(), states: views.map(stateOf) }
}
