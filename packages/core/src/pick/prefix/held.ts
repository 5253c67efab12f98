import type { PrefixChain } from './chain.ts'

/** What a replica is taken to have in its cache. */
export interface PrefixesHeld {
  /** How many blocks of a prompt, from its start; 0 as well where it is fewer than `least`, which is found out by one look. */
  countOf(chain: PrefixChain, least?: number): number
}

/**
 * The bound of one replica: eighty prompts as long as are looked at, or five hundred of 4 KiB. A quarter of a mebibyte of memory.
 */
const MOST_HELD = 8_192

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

  countOf(chain: PrefixChain, least = 0): number {
    if (least > 0 && !this.has(chain, least)) return 0
    let held = least
    // Of those that share a system prompt most have as much as the one before
    let missing = this.has(chain, least + 1) ? chain.length + 1 : least + 1
    while (missing - held > 1) {
      const middle = (held + missing) >> 1
      if (this.has(chain, middle)) held = middle
      else missing = middle
    }
    return held
  }

  /** Whether so many blocks are held: where one is, all before it are. */
  private has(chain: PrefixChain, count: number): boolean {
    return count <= chain.length && this.blocks.has(chain[count - 1] as number)
  }

  toJSON(): readonly number[] {
    return [...this.blocks]
  }
}
