import type { Command, Scheduler, SchedulerEvent } from '@lswap/core'

/** Hands an event to the method that is for it. */
export const feed = (scheduler: Scheduler, event: SchedulerEvent): readonly Command[] => {
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
      return unknown(event)
  }
}

const unknown = (event: never): never => {
  throw new Error(`unknown event ${JSON.stringify(event)}`)
}
