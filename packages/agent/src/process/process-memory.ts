import { isAlive, memoryOfTree, treeOf, type ProcessMemory, type ProcessStamp } from './process-table.ts'

/** What processes need, read as seldom as it can be. */
export interface ProcessMemories {
  /** Memory of the process and everything below it; undefined where the platform does not tell. */
  of(pid: number): ProcessMemory | undefined
}

/** Several parts of one look ask for the same. */
const ONE_LOOK_MS = 100
/** Who is below whom is read from each thread of each process, of which an engine has dozens, and seldom changes. */
const FAMILY_MS = 2_000

interface Known {
  familyAt: number
  family: readonly ProcessStamp[]
  readAt: number
  memory: ProcessMemory | undefined
}

export interface ProcessMemoriesOptions {
  readonly clock: { now(): number }
  readonly tree?: typeof treeOf
}

/** The number of one that ended may be somebody else's by now; the root's is ours until we let go of it. */
const read = (root: number, family: readonly ProcessStamp[]): ProcessMemory | undefined =>
  memoryOfTree(
    root,
    family.filter((one) => one.pid === root || isAlive(one)),
  )

export const createProcessMemories = ({ clock, tree = treeOf }: ProcessMemoriesOptions): ProcessMemories => {
  const known = new Map<number, Known>()

  const forget = (now: number): void => {
    for (const [pid, { readAt }] of known) if (now - readAt > FAMILY_MS) known.delete(pid)
  }

  return {
    of: (pid) => {
      const now = clock.now()
      const before = known.get(pid)
      if (before !== undefined && now - before.readAt < ONE_LOOK_MS) return before.memory
      const isKnown = before !== undefined && now - before.familyAt < FAMILY_MS
      const family = isKnown ? before.family : tree(pid)
      const memory = read(pid, family)
      forget(now)
      known.set(pid, { familyAt: isKnown ? before.familyAt : now, family, readAt: now, memory })
      return memory
    },
  }
}
