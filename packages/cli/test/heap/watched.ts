import type { Heap } from '../../src/heap/heap.ts'
import type { Activity } from '../../src/heap/idle-collection.ts'

export interface WatchedHeap extends Heap {
  /** What is watched now. */
  readonly watched: ReadonlySet<() => Activity>
}

/** Remembers by what it would go. */
export const watchedHeap = (): WatchedHeap => {
  const watched = new Set<() => Activity>()
  return {
    watched,
    watch: (activity) => {
      watched.add(activity)
      return () => watched.delete(activity)
    },
  }
}
