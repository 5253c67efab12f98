import * as fc from 'fast-check'
import type { Test } from 'tap'
import { createScheduler, restoreScheduler, type PolicySettings } from '../../../src/index.ts'
import { fewestOf } from './fewest.ts'
import type { Reload } from './setup.ts'
import { traces } from './trace.ts'
import type { Factory } from './subject.ts'
import type { Seen, Watch } from './watch.ts'
import { COMMON } from './watches.ts'
import { World } from './world.ts'

const seed = Number(process.env['LSWAP_PROP_SEED'] ?? Date.now() % 1_000_000_000)
const inCi = process.env['CI'] === 'true'
/** How many traces each property plays. */
export const RUNS = Number(process.env['LSWAP_PROP_RUNS'] ?? (inCi ? 1_000 : 150))
/** How long a failure is made smaller: to do that to the end can take minutes, and the test would be stopped before. */
const SHRINK_MS = 20_000

const usual: Factory = { create: createScheduler, restore: restoreScheduler }

export interface Property {
  readonly policy: fc.Arbitrary<PolicySettings>
  readonly reload?: fc.Arbitrary<Reload>
  /** How often reloads come, beside 24 requests; absent: rarely. */
  readonly reloads?: number
  /** Absent: the schedulers as they are. */
  readonly factory?: Factory
  /** The rules of the policy, made anew for each world. */
  readonly watches: () => readonly Watch[]
  /** What must happen in a share of the traces. */
  readonly reach: readonly Seen[]
  /** Traces that it plays; absent: {@link RUNS}. */
  readonly runs?: number
}

/** Plays random traces, and shows that they reach the rules. */
export const playTraces = (
  t: Test,
  { policy, reload, reloads = 1, factory = usual, watches, reach, runs = RUNS }: Property,
): void => {
  const repeat = `LSWAP_PROP_SEED=${seed} LSWAP_PROP_RUNS=${RUNS}`
  t.comment(repeat)
  const counts = new Map<Seen, number>(reach.map((seen) => [seen, 0]))
  let shrinkUntil = Infinity
  const { failed, counterexample, errorInstance } = fc.check(
    fc.property(traces({ policy, reload, reloads }), (trace) => {
      if (Date.now() > shrinkUntil) return
      const world = new World(factory, trace, [...COMMON, ...watches()])
      try {
        world.play()
      } catch (error) {
        if (shrinkUntil === Infinity) shrinkUntil = Date.now() + SHRINK_MS
        throw new Error(`${String(error)}\n${world.lastLines(16).join('\n')}`, { cause: error })
      }
      for (const seen of world.seen) counts.set(seen, (counts.get(seen) ?? 0) + 1)
    }),
    { numRuns: runs, seed },
  )
  if (failed) t.comment(JSON.stringify(counterexample))
  t.equal(failed ? `${repeat}\n${String(errorInstance)}` : '', '', 'no trace breaks a rule')
  if (failed) return
  for (const seen of reach) {
    const count = counts.get(seen) ?? 0
    t.ok(count >= fewestOf(runs), `${seen}: in ${count} of ${runs} traces, and at least in ${fewestOf(runs)}`)
  }
}
