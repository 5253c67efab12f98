import * as fc from 'fast-check'
import type { Test } from 'tap'
import { createScheduler, restoreScheduler, type PolicySettings } from '../../../src/index.ts'
import type { Trace } from './setup.ts'
import { traces } from './trace.ts'
import type { Seen, Watch } from './watch.ts'
import { COMMON } from './watches.ts'
import { World } from './world.ts'

const seed = Number(process.env['LSWAP_PROP_SEED'] ?? Date.now() % 1_000_000_000)
const inCi = process.env['CI'] === 'true'
/** How many traces each property plays. */
export const RUNS = Number(process.env['LSWAP_PROP_RUNS'] ?? (inCi ? 1_000 : 150))
/** Rare things are not seen in every short run: only the long one must show a share of each. */
const SHARE = RUNS >= 1_000 ? 0.05 : 0.01

const factory = { create: createScheduler, restore: restoreScheduler }

const reportOf = ({ counterexample, counterexamplePath, errorInstance }: fc.RunDetails<[Trace]>): string =>
  `seed ${seed}, path ${counterexamplePath}\n${String(errorInstance)}\n${JSON.stringify(counterexample)}`

export interface Property {
  readonly policy: fc.Arbitrary<PolicySettings>
  /** The rules of the policy, made anew for each world. */
  readonly watches: () => readonly Watch[]
  /** What must happen in a share of the traces. */
  readonly reach: readonly Seen[]
}

/** Plays random traces, and shows that they reach the rules. */
export const playTraces = (t: Test, { policy, watches, reach }: Property): void => {
  t.comment(`seed ${seed}, ${RUNS} traces (LSWAP_PROP_SEED, LSWAP_PROP_RUNS)`)
  const counts = new Map<Seen, number>(reach.map((seen) => [seen, 0]))
  let played = 0
  const details = fc.check(
    fc.property(traces(policy), (trace) => {
      const world = new World(factory, trace, [...COMMON, ...watches()])
      played += 1
      try {
        world.play()
      } catch (error) {
        throw new Error(`${String(error)}\n${world.journal.slice(-30).join('\n')}`, { cause: error })
      }
      for (const seen of world.seen) counts.set(seen, (counts.get(seen) ?? 0) + 1)
    }),
    { numRuns: RUNS, seed },
  )
  if (details.failed) for (const line of reportOf(details).split('\n')) t.comment(line)
  t.notOk(details.failed, 'no trace breaks a rule')
  if (details.failed) return
  for (const seen of reach) {
    const share = (counts.get(seen) ?? 0) / played
    const told = `${seen}: ${(100 * share).toFixed(1)} % of traces`
    t.comment(told)
    t.ok(share >= SHARE, told)
  }
}
