import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** An `int` to V8: 24.8 days, counted anew from each full collection. */
const OUT_OF_REACH_MS = 2 ** 31 - 1

/**
 * What V8 is told at the start; early.ts says when. Decision 0029 has the figures.
 *
 * The first: V8 collects the whole heap, up to three times, eight seconds after a full collection whenever little is allocated, and takes any
 * pause between requests for that. A router in mixed use then works in a heap that was just made small.
 *
 * The second: places in the code whose objects outlived two collections get their objects in the old generation from then on. With
 * long streams these are the objects of every request, and short ones, which come after them, fill the old generation.
 */
export const V8_FLAGS: readonly string[] = [
  `--gc-memory-reducer-start-delay-ms=${OUT_OF_REACH_MS}`,
  '--no-allocation-site-pretenuring',
]

/** A V8 that does not know one says so on stderr, and goes on without. */
export const tuneV8 = (tell: (flag: string) => void = setFlagsFromString): void => {
  for (const flag of V8_FLAGS) tell(flag)
}

/** `execution` counts: in the middle of a call V8 11 (Node 20) takes a `major` for a minor one. */
const EVERYTHING = { type: 'major', execution: 'async', flavor: 'last-resort' }
const YOUNG = { type: 'minor' }

type Collect = (options: Readonly<Record<string, string>>) => unknown

let found: Collect | undefined

/** Node has this behind a flag only, which need not be given at the start. */
const collector = (): Collect => {
  if (found !== undefined) return found
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  found = typeof gc === 'function' ? (gc as Collect) : () => {}
  return found
}

/** Collects the young garbage, which takes a millisecond. */
export const collectYoung = (): void => void collector()(YOUNG)

/** Collects all there is and gives its pages back; the process stands still meanwhile, not before this has returned. */
export const collectAll = async (): Promise<void> => void (await collector()(EVERYTHING))
