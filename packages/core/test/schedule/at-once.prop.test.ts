import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import {
  createScheduler,
  DEFAULT_SERIAL,
  feed,
  leastLoaded,
  restoreScheduler,
  type Command,
  type PickAnswer,
  type Picker,
  type Scheduler,
  type SchedulerEvent,
  type SchedulerOptions,
} from '../../src/index.ts'
import { playTraces, RUNS } from './world/prop.ts'
import type { Factory } from './world/subject.ts'

/** A picker that is asked about a choice of one as well, so that nothing is granted at once. */
const asked = ({ picker = leastLoaded }: SchedulerOptions): Picker<PickAnswer> => {
  if (typeof picker === 'function') throw new Error('these traces have pickers that draw nothing')
  return { name: picker.name, pick: (request, endpoints, now) => picker.pick(request, endpoints, now) }
}

const slow = (options: SchedulerOptions): SchedulerOptions => ({ ...options, picker: asked(options) })

const slowEvent = (event: SchedulerEvent): SchedulerEvent =>
  event.type === 'config-changed' ? { ...event, options: slow(event.options) } : event

/** Events from one look at the whole state to the next: it is most of the work, and what differs goes on to differ. */
const LOOK_EVERY = 8

/** One scheduler that decides everything twice: at once where that may be, and always by the queue. */
const both = (quick: Scheduler, queued: Scheduler): Scheduler => {
  let events = 0
  const decide = (event: SchedulerEvent): Command[] => {
    const commands = feed(quick, event)
    const others = feed(queued, slowEvent(event))
    assert.equal(JSON.stringify(commands), JSON.stringify(others), `otherwise by the queue at ${event.type}`)
    events += 1
    if (events % LOOK_EVERY === 0)
      assert.equal(
        JSON.stringify(quick.snapshot()),
        JSON.stringify(queued.snapshot()),
        `another state at ${event.type}`,
      )
    assert.equal(quick.nextTick(), queued.nextTick(), `another tick at ${event.type}`)
    return commands
  }
  return {
    ...quick,
    onRequest: decide,
    onCancel: decide,
    onSwapDone: decide,
    onServeDone: decide,
    onStopDone: decide,
    onUnload: decide,
    onPin: decide,
    onFleetChange: decide,
    onConfig: decide,
    onTick: decide,
    onShutdown: decide,
    // Whoever looks at a model makes its placements known
    view: (now) => {
      queued.view(now)
      return quick.view(now)
    },
  }
}

const factory: Factory = {
  create: (options) => both(createScheduler(options), createScheduler(slow(options))),
  restore: (options, snapshot) => both(restoreScheduler(options, snapshot), restoreScheduler(slow(options), snapshot)),
}

const policy = fc.oneof(
  fc.constantFrom(200, 60_000).map((fairAfterMs) => ({ use: 'fifo', fairAfterMs }) as const),
  fc.constantFrom(DEFAULT_SERIAL, { ...DEFAULT_SERIAL, fairShare: false }),
)

/** Each trace is played by two schedulers whose whole states are compared: several times the work of others. */
const OWN_RUNS = Math.ceil(RUNS / 4)

t.setTimeout(240_000 + RUNS * 100)
t.test('what is granted at once is what the queue would have granted, and leaves the same state', (t) => {
  const reach = ['caller at its limit', 'crash', 'host lost', 'retry'] as const
  playTraces(t, { policy, factory, watches: () => [], reach, runs: OWN_RUNS })
  t.end()
})
