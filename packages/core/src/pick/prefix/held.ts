import type { PrefixChain } from './chain.ts'

/** What a replica is taken to have in its cache. */
export interface PrefixesHeld {
  /** How many blocks of a prompt, from its start. */
  countOf(chain: PrefixChain): number
}

/**
 * The bound of one replica: eighty prompts as long as are looked at, or five hundred of 4 KiB. A quarter of a mebibyte of memory.
 */
export const MOST_HELD = 8_192

/**
 * The prefixes of what a replica was given lately: the engine tells nobody what it has in its cache, but it has what it read
 * last. A prompt's deep blocks are forgotten before the ones that they follow, so what is held begins at its start.
 */
export class HeldPrefixes implements PrefixesHeld {
  /** In order of use, the latest last. */
  private readonly blocks: Set<number>
  private readonly most: number

  constructor(blocks: Iterable<number> = [], most = MOST_HELD) {
    this.blocks = new Set(blocks)
    this.most = most
  }

  get size(): number {
    return this.blocks.size
  }

  /** A prompt is on its way there. */
  note(chain: PrefixChain): void {
    for (let at = chain.length - 1; at >= 0; at -= 1) {
      const block = chain[at] as number
      this.blocks.delete(block)
      this.blocks.add(block)
    }
    if (this.blocks.size <= this.most) return
    // One walk from the oldest on: beginning anew for each would pass all that are deleted already
    for (const oldest of this.blocks) {
      this.blocks.delete(oldest)
      if (this.blocks.size === this.most) return
    }
  }

  countOf(chain: PrefixChain): number {
    // Where one is held, all before it are
    let held = 0
    let missing = chain.length + 1
    while (missing - held > 1) {
      const middle = (held + missing) >> 1
      if (this.blocks.has(chain[middle - 1] as number)) held = middle
      else missing = middle
    }
    return held
  }

  toJSON(): readonly number[] {
    return [...this.blocks]
  }
}
