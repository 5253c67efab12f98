import type { Command } from './commands.ts'
import type { SchedulerEvent } from './events.ts'
import type { Scheduler } from './scheduler.ts'

/** Hands an event to the method that is for it: for loops and journals, which hold events as data. */
export const feed = (scheduler: Scheduler, event: SchedulerEvent): Command[] => {
  switch (event.type) {
    case 'request-received':
      return scheduler.onRequest(event)
    case 'request-cancelled':
      return scheduler.onCancel(event)
    case 'swap-done':
      return scheduler.onSwapDone(event)
    case 'serve-done':
      return scheduler.onServeDone(event)
    case 'stop-done':
      return scheduler.onStopDone(event)
    case 'unload-asked':
      return scheduler.onUnload(event)
    case 'pin-asked':
      return scheduler.onPin(event)
    case 'fleet-changed':
      return scheduler.onFleetChange(event)
    case 'config-changed':
      return scheduler.onConfig(event)
    case 'ticked':
      return scheduler.onTick(event)
    case 'shutdown-started':
      return scheduler.onShutdown(event)
    default:
      return event satisfies never
  }
}
