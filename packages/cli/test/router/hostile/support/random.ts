import { seededRandom } from '@lswap/core/test-support'
import { execFileSync } from 'node:child_process'

/** Numbers that a seed decides. */
export interface Random {
  /** From 0 up to, and without, `below`. */
  int(below: number): number
  pick<Item>(items: readonly Item[]): Item
}

export const createRandom = (seed: number): Random => {
  const next = seededRandom(seed)
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    pick: (items) => {
      const item = items[int(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

/** Another for each commit, the same for who repeats it. `LSWAP_TEST_SEED` sets it. */
export const seedOfCommit = (): number => {
  const { LSWAP_TEST_SEED: given } = process.env
  if (given !== undefined) return Number(given)
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Number.parseInt(commit.slice(0, 8), 16)
  } catch {
    // No git, or no checkout
    return 1
  }
}
