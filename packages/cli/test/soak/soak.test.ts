import t from 'tap'
import { soak } from './run.ts'

// Many processes, on machines that have other work too
t.setTimeout(280_000)

/** Three seeds: each Node of CI has others, and ten seconds of processor time each are spent on every change. */
const NUMBERS = {
  seed: Number(process.env['LSWAP_PROP_SEED'] ?? Date.now() % 1_000_000_000),
  seeds: Number(process.env['LSWAP_SOAK_SEEDS'] ?? 3),
  operations: Number(process.env['LSWAP_SOAK_OPERATIONS'] ?? 200),
}
/** Two processors are enough for so many at once. */
const AT_ONCE = 2

const isLinux = process.platform === 'linux'
const { seed, seeds, operations } = NUMBERS

t.test(
  `${operations} random operations each on ${seeds} seeds from ${seed}: every request ends, every model answers, and nothing is left`,
  { skip: isLinux ? false : 'the process table is read from /proc' },
  async (t) => {
    const rest = Array.from({ length: seeds }, (_, at) => seed + at)
    const work = async (): Promise<void> => {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const { faults, story, counts, folder } = await soak(next, operations)
        t.same(faults, [], `seed ${next}`)
        if (process.env['LSWAP_SOAK_SHOW'] !== undefined || faults.length > 0) t.comment(story.join('\n'))
        if (faults.length > 0) t.comment(`logs and state of seed ${next}: ${folder}`)
        t.comment(`seed ${next}: ${JSON.stringify(counts)}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  },
)
