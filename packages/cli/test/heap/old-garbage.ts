import { getHeapSpaceStatistics } from 'node:v8'
import { collectYoung } from '../../src/heap/v8.ts'

export interface OldGarbage {
  /** MiB of what is old beyond what was so before. */
  readonly left: () => number
}

const OBJECTS = 200_000
/** The least that so many take. */
export const GARBAGE_MIB = 2

const old = (): number => {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
  return (space?.space_used_size ?? 0) / 1024 ** 2
}

/** Makes what lies among what is old, though nobody needs it any more. */
export const oldGarbage = (): OldGarbage => {
  const before = old()
  const held = { objects: Array.from({ length: OBJECTS }, (_, at) => ({ at })) }
  for (let times = 0; times < 4; times += 1) collectYoung()
  held.objects = []
  return { left: () => old() - before }
}
