import type { Command, Scheduler, SchedulerEvent } from '@lswap/core'

export interface ScriptedScheduler extends Scheduler {
  /** What it was told, in order. */
  readonly events: SchedulerEvent[]
  /** When the next tick is due. */
  tickAt: number | undefined
}

/** Answers events as the script says. */
export const scriptedScheduler = (script: (event: SchedulerEvent) => Command[] | undefined): ScriptedScheduler => {
  const on = (event: SchedulerEvent): Command[] => {
    scheduler.events.push(event)
    return script(event) ?? []
  }
  const bands = { depth: 0, oldestWaitMs: 0, dispatched: 0 }
  const scheduler: ScriptedScheduler = {
    events: [],
    tickAt: undefined,
    onRequest: on,
    onCancel: on,
    onSwapDone: on,
    onServeDone: on,
    onStopDone: on,
    onUnload: on,
    onPin: on,
    onFleetChange: on,
    onConfig: on,
    onTick: on,
    onShutdown: on,
    nextTick: () => scheduler.tickAt,
    positionOf: () => undefined,
    timelineOf: () => undefined,
    causeOf: () => undefined,
    queue: () => [],
    explain: () => undefined,
    stats: () => ({ bands: { urgent: bands, normal: bands, batch: bands }, agingReorders: 0, affinityReorders: 0 }),
    view: () => ({ hosts: [], models: new Map() }),
    snapshot: () => ({}),
  }
  return scheduler
}
