import type { HostId, SchedulerView } from '@lswap/core'
import type { Clock } from '../clock.ts'

export interface LeavingOptions {
  readonly clock: Clock
  readonly view: () => Pick<SchedulerView, 'models'>
  /** Nothing of it runs any more, or it does not end. */
  readonly release: (host: HostId) => void
}

/** Hosts that left the configuration, until what runs there has ended. */
export interface Leaving {
  /** These, and no others. `limitMs`: how long each may take; `Infinity`: any time. */
  set(hosts: readonly HostId[], limitMs: number): void
  /** Something may have ended. */
  look(): void
  /** Nothing is released any more. */
  stop(): void
}

export const createLeaving = ({ clock, view, release }: LeavingOptions): Leaving => {
  const going = new Map<HostId, () => void>()

  const end = (host: HostId): void => {
    going.get(host)?.()
    if (going.delete(host)) release(host)
  }

  return {
    set: (hosts, limitMs) => {
      for (const [host, cancel] of going) {
        if (hosts.includes(host)) continue
        cancel()
        going.delete(host)
      }
      for (const host of hosts) {
        if (!going.has(host))
          going.set(
            host,
            clock.setTimer(clock.now() + limitMs, () => end(host)),
          )
      }
    },
    look: () => {
      if (going.size === 0) return
      const busy = new Set<HostId>()
      for (const { placements } of view().models.values()) {
        for (const { placement, phase } of placements) if (phase !== 'stopped') busy.add(placement.host)
      }
      for (const host of going.keys()) if (!busy.has(host)) end(host)
    },
    stop: () => {
      for (const cancel of going.values()) cancel()
      going.clear()
    },
  }
}
