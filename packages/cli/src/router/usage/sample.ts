/** The begin and the end of an answer, as much as usage is looked for in; what lies between is not kept. */
export interface Sample {
  add(chunk: Buffer): void
  /** As Latin-1: what is looked for is ASCII. A line parts them where something is missing. */
  text(): string
  chunks(): number
}

/** Embeddings tell it first, and Anthropic's `message_start` too. */
const HEAD_BYTES = 4 * 1024
/** Chats tell it last: behind it come `timings`, `[DONE]` and little else. */
const TAIL_BYTES = 8 * 1024

/** A class, since one is made per request. Chunks are kept as they are: nothing is copied on their way. */
export class AnswerSample implements Sample {
  readonly #head: Buffer[] = []
  #headBytes = 0
  readonly #tail: Buffer[] = []
  #tailBytes = 0
  #isCut = false
  #chunks = 0

  add(chunk: Buffer): void {
    this.#chunks += 1
    if (this.#headBytes < HEAD_BYTES) {
      this.#head.push(chunk)
      this.#headBytes += chunk.length
      return
    }
    this.#tail.push(chunk)
    this.#tailBytes += chunk.length
    if (this.#tailBytes > 2 * TAIL_BYTES) this.#forget()
  }

  text(): string {
    const head = latin1(this.#head)
    return this.#tail.length === 0 ? head : `${head}${this.#isCut ? '\n' : ''}${latin1(this.#tail)}`
  }

  chunks(): number {
    return this.#chunks
  }

  /** Down to the least that is wanted, all at once: to shift a list for each chunk costs more. */
  #forget(): void {
    let count = 0
    while (this.#tailBytes - (this.#tail[count]?.length ?? 0) >= TAIL_BYTES) {
      this.#tailBytes -= this.#tail[count]?.length ?? 0
      count += 1
    }
    this.#tail.splice(0, count)
    this.#isCut ||= count > 0
  }
}

const latin1 = (chunks: readonly Buffer[]): string => chunks.map((chunk) => chunk.toString('latin1')).join('')
