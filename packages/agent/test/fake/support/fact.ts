import t from 'tap'
import { ENGINES } from './engines.ts'
import type { EngineUnderTest } from './engines.ts'

export type Test = Parameters<Parameters<typeof t.test>[0]>[0]

/**
 * Something about llama-server that lswap relies on, held against the simulated engine and a real one alike: whoever
 * changes the one, or takes a newer version of the other, learns what no longer holds.
 */
export function fact(sentence: string, check: (t: Test, engine: EngineUnderTest) => Promise<void>): void {
  for (const engine of ENGINES) void t.test(`${engine.name} ${sentence}`, engine.options, (t) => check(t, engine))
}
