// A prompt is cut into blocks from its start, and a chain has one number for each: it stands for all of the prompt up to the
// block's end. Two prompts that begin alike have chains that begin alike.

/** What a prompt's blocks hash to, in order; 32-bit integers. What is behind the last whole block is in none. */
export type PrefixChain = readonly number[]

/** Some sixty tokens: less is read anew sooner than it is worth a thought. */
const FIRST_BLOCK_BYTES = 256
/**
 * From 4 KiB on a block is a sixteenth of what lies before it: what two conversations share is known to a sixteenth whatever its
 * length, and few numbers reach deep into long ones, whose system prompt alone may have a hundred thousand bytes.
 */
const GROWTH = 16
/** The bound on what a request carries and on the bytes that are hashed for it: half a mebibyte, 130,000 tokens or so. */
export const MOST_BLOCKS = 96

const ends = (): readonly number[] => {
  const made: number[] = []
  let end = 0
  while (made.length < MOST_BLOCKS) {
    end += Math.max(FIRST_BLOCK_BYTES, Math.floor(end / GROWTH))
    made.push(end)
  }
  return made
}

/** How many bytes of a prompt lie before the end of each block. */
export const BLOCK_ENDS: readonly number[] = ends()

/** No byte from here on is looked at. */
export const MOST_BYTES: number = BLOCK_ENDS.at(-1) ?? 0

const FNV_OFFSET = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193

/** FNV-1a: one multiplication a byte, and no state but 32 bits. A prompt that was made to collide only meets another's cache. */
const hashOn = (
  hash: number,
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
): number => {
  let state = hash
  for (let at = from; at < to; at += 1) state = Math.imul(state ^ (bytes[at] as number), FNV_PRIME)
  return state
}

/** Spreads what the last bytes changed over all bits (the end of MurmurHash3). */
const mixed = (hash: number): number => {
  let state = hash
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return state ^ (state >>> 16)
}

/** Makes a prompt's chain, piece by piece: where the pieces end makes no difference. */
export class ChainHasher {
  private readonly blocks: number[] = []
  private state = FNV_OFFSET
  private position = 0

  /** `seed`: what else must be the same for what is computed to be the same. */
  constructor(seed: string) {
    for (let at = 0; at < seed.length; at += 1) this.state = Math.imul(this.state ^ seed.charCodeAt(at), FNV_PRIME)
  }

  /** Nothing more is taken. */
  isFull(): boolean {
    return this.blocks.length === MOST_BLOCKS
  }

  push(bytes: Uint8Array): void {
    let from = 0
    while (from < bytes.length && !this.isFull()) {
      const end = BLOCK_ENDS[this.blocks.length] as number
      const to = Math.min(bytes.length, from + end - this.position)
      this.state = hashOn(this.state, bytes, { from, to })
      this.position += to - from
      from = to
      if (this.position === end) this.blocks.push(mixed(this.state))
    }
  }

  /** So far. */
  chain(): PrefixChain {
    return this.blocks
  }
}
