import { createDirect } from './direct.mjs'
import { createThroughLswap } from './through-lswap.mjs'

/** Rounds before those that count: code gets compiled and files into memory. */
const warmUp = 4

/** Rounds of one swap each way, as `{ lswap, direct, overhead }` in milliseconds. */
export async function measureSwaps({ engine, swaps, bundle, folder }) {
  const { models } = engine
  const direct = await createDirect({ models })
  const lswap = await createThroughLswap({ models, bundle, folder })
  try {
    // Something must run before it can be swapped out.
    await lswap.swapTo(1)
    await direct.swapTo(1)
    const rounds = []
    for (let round = -warmUp; round < swaps; round += 1) {
      const measured = await oneRound({ round: round + warmUp, lswap, direct })
      if (round >= 0) rounds.push(measured)
    }
    return rounds
  } finally {
    await Promise.all([direct.close(), lswap.close()])
  }
}

async function oneRound({ round, lswap, direct }) {
  const to = round % 2
  // Who is first changes every second round: else each model would always be swapped to by the same one first.
  const directFirst = round % 4 < 2
  const early = directFirst ? await direct.swapTo(to) : undefined
  const through = await lswap.swapTo(to)
  const alone = early ?? (await direct.swapTo(to))
  return { lswap: through, direct: alone, overhead: through.total - alone.total }
}
