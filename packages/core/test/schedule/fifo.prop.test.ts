import * as fc from 'fast-check'
import t from 'tap'
import { createScheduler, restoreScheduler } from '../../src/index.ts'
import { fifoOrder } from './world/fifo-order.ts'
import type { Trace } from './world/setup.ts'
import { traces } from './world/trace.ts'
import { SEEN, type Seen } from './world/watch.ts'
import { COMMON } from './world/watches.ts'
import { World } from './world/world.ts'

const runs = Number(process.env['LSWAP_PROP_RUNS'] ?? 300)
const seed = Number(process.env['LSWAP_PROP_SEED'] ?? Date.now() % 1_000_000_000)

const fifo = fc.constantFrom(100, 200, 400, 1_000, 60_000).map((fairAfterMs) => ({ use: 'fifo', fairAfterMs }) as const)
const factory = { create: createScheduler, restore: restoreScheduler }
const watches = [...COMMON, fifoOrder]

const reportOf = ({ counterexample, counterexamplePath, errorInstance }: fc.RunDetails<[Trace]>): string =>
  `seed ${seed}, path ${counterexamplePath}\n${String(errorInstance)}\n${JSON.stringify(counterexample)}`

t.setTimeout(30_000 + runs * 50)
t.test('whatever happens, every waiter ends, once, in order, and nothing breaks the machine', (t) => {
  t.comment(`seed ${seed}, ${runs} traces (LSWAP_PROP_SEED, LSWAP_PROP_RUNS)`)
  const counts = new Map<Seen, number>(SEEN.map((seen) => [seen, 0]))
  let played = 0
  const details = fc.check(
    fc.property(traces(fifo), (trace) => {
      const world = new World(factory, trace, watches)
      played += 1
      try {
        world.play()
      } catch (error) {
        throw new Error(`${String(error)}\n${world.journal.slice(-30).join('\n')}`, { cause: error })
      }
      for (const seen of world.seen) counts.set(seen, (counts.get(seen) ?? 0) + 1)
    }),
    { numRuns: runs, seed },
  )
  if (details.failed) t.comment(reportOf(details))
  t.notOk(details.failed, 'no trace breaks a rule')
  if (details.failed) return t.end()
  t.test('the traces reach the rules', (t) => {
    for (const [seen, count] of counts) {
      t.ok(count >= played * 0.05, `${seen}: ${((100 * count) / played).toFixed(1)} % of traces`)
    }
    t.end()
  })
  return t.end()
})
