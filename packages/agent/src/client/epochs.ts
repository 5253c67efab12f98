import { epoch, type Epoch } from '@lswap/core'

/** An agent counts starts of processes anew after its own restart; for the router each of them has one number for ever. */
export interface Epochs {
  /** Another start of the agent: everything before is gone. */
  begin(start: string): void
  start(): string | undefined
  /** The router's number of one of the agent's. */
  ours(theirs: number): Epoch
  /** The agent's number; undefined: of an earlier start. */
  theirs(ours: Epoch): number | undefined
  highest(): number
}

/** `before`: numbers up to this were used for the host already. */
export const createEpochs = (before = 0): Epochs => {
  let start: string | undefined
  let base = before
  let highest = before
  return {
    begin: (next) => {
      if (next === start) return
      start = next
      base = highest
    },
    start: () => start,
    ours: (theirs) => {
      highest = Math.max(highest, base + theirs)
      return epoch(base + theirs)
    },
    theirs: (ours) => (ours > base ? ours - base : undefined),
    highest: () => highest,
  }
}
