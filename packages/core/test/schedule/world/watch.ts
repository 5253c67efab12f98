import type { Command, SchedulerEvent } from '../../../src/index.ts'
import type { World } from './world.ts'

/** Judges one decision after it was carried out. Throws when a rule is broken. */
export type Watch = (world: World, event: SchedulerEvent, commands: readonly Command[]) => void

/** What happened in a trace, for the shares that show that traces reach the rules. */
export const SEEN = [
  'abort',
  'unload during load',
  'crash',
  'ended unasked',
  'out of memory',
  'pin',
  'overdue',
  'held',
  'hold',
  'backfill',
  'caller at its limit',
  'closed',
  'retry',
  'stuck',
  'host lost',
  'restore',
  'restore over another',
  'removed in use',
  'changed in use',
] as const
export type Seen = (typeof SEEN)[number]
