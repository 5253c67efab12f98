import type { SchedulerEvent } from '@lswap/core'
import type { Clock } from '../clock.ts'

type WithoutNow<Event> = Event extends SchedulerEvent ? Omit<Event, 'now'> : never

/** An event whose time is when it is posted. */
export type Fact = WithoutNow<SchedulerEvent>

export interface EventQueue {
  /** Processes the event before it returns, or, called from within one that is being processed, right after that one. */
  post(fact: Fact): void
}

export interface EventQueueOptions {
  readonly clock: Clock
  /** Decides and carries out one event, run to completion. Never throws. */
  readonly process: (event: SchedulerEvent) => void
  /** Called when nothing is left to process. */
  readonly onIdle: () => void
}

/** Facts are made for the one call that posts them: setting their time takes 15 to 30 ns and a copy 60 (Node 24) to 900 (Node 20), for each of two a request. */
const timed = (fact: Fact, now: number): SchedulerEvent => {
  const event = fact as { -readonly [Key in keyof SchedulerEvent]: SchedulerEvent[Key] }
  event.now = now
  return event as SchedulerEvent
}

/** One event at a time, each run to completion: nothing re-enters the scheduler in the middle of a decision. */
export const createEventQueue = ({ clock, process, onIdle }: EventQueueOptions): EventQueue => {
  const queue: SchedulerEvent[] = []
  let busy = false
  let last = 0
  return {
    post: (fact) => {
      last = Math.max(last, clock.now())
      const first = timed(fact, last)
      if (busy) {
        queue.push(first)
        return
      }
      busy = true
      try {
        process(first)
        for (let event = queue.shift(); event !== undefined; event = queue.shift()) process(event)
      } finally {
        busy = false
      }
      onIdle()
    },
  }
}
