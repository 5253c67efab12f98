import type { Clock } from '../router/clock.ts'
import type { Log } from '../router/log.ts'
import { startIdleCollection, type Activity } from './idle-collection.ts'
import { collectAll } from './v8.ts'

/** The memory of the process. */
export interface Heap {
  /** Gives memory back whenever nothing was under way for a while. Returns what ends that. */
  watch(activity: () => Activity, log: Log): () => void
}

/** Takes over from V8, which early.ts stopped, when the whole heap is collected in pauses: for processes that serve others. */
export const ownHeap = (clock: Clock, collect: () => Promise<void> = collectAll): Heap => {
  const giveBack = async (log: Log): Promise<void> => {
    const before = process.memoryUsage.rss()
    const began = clock.now()
    await collect()
    const ms = Math.round(clock.now() - began)
    log.debug({ ms, before, after: process.memoryUsage.rss() }, 'nothing was under way: memory was given back')
  }
  return {
    watch: (activity, log) => startIdleCollection({ clock, activity, collect: () => void giveBack(log) }),
  }
}
