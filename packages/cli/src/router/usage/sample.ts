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
/** The tail moves up when it has grown by as much again: seldom, and by little. */
const ROOM_BYTES = HEAD_BYTES + 2 * TAIL_BYTES
/** Most streams are shorter than what there is room for. */
const FIRST_ROOM_BYTES = 2 * 1024

const NO_ROOM = Buffer.alloc(0)

/**
 * An answer in one piece is kept as it is; of a stream the bytes are copied into one
 * buffer: to keep the pieces left up to 70 objects per stream for the garbage collector to copy while everything stood still,
 * 38 ms at worst with 500 streams.
 */
export class AnswerSample implements Sample {
  #only: Buffer | undefined
  #room: Buffer = NO_ROOM
  #used = 0
  #isCut = false
  #chunks = 0

  add(chunk: Buffer): void {
    this.#chunks += 1
    if (this.#chunks === 1) {
      this.#only = chunk
      return
    }
    if (this.#only !== undefined) this.#append(this.#only)
    this.#only = undefined
    this.#append(chunk)
  }

  text(): string {
    if (this.#only !== undefined) return this.#only.toString('latin1')
    const [room, used] = [this.#room, this.#used]
    if (!this.#isCut) return room.toString('latin1', 0, used)
    return `${room.toString('latin1', 0, HEAD_BYTES)}\n${room.toString('latin1', HEAD_BYTES, used)}`
  }

  chunks(): number {
    return this.#chunks
  }

  #append(chunk: Buffer): void {
    if (this.#used + chunk.length > this.#room.length) this.#grow(this.#used + chunk.length)
    if (this.#used + chunk.length <= this.#room.length) this.#used += chunk.copy(this.#room, this.#used)
    else this.#replaceTail(chunk)
  }

  #grow(bytes: number): void {
    const { length } = this.#room
    if (length === ROOM_BYTES) return
    // Not from Node's pool, of which it would hold on to eight times as much
    const room = Buffer.allocUnsafeSlow(Math.min(ROOM_BYTES, Math.max(FIRST_ROOM_BYTES, 2 * length, bytes)))
    this.#room.copy(room, 0, 0, this.#used)
    this.#room = room
  }

  /** The room is full: of what is behind the head, only the end stays. */
  #replaceTail(chunk: Buffer): void {
    const room = this.#room
    let from = 0
    if (this.#used < HEAD_BYTES) {
      from = HEAD_BYTES - this.#used
      this.#used += chunk.copy(room, this.#used, 0, from)
    }
    // A short piece only finds no room behind more than the end that is wanted
    const kept = chunk.length - from < TAIL_BYTES ? TAIL_BYTES : 0
    this.#isCut = true
    room.copyWithin(HEAD_BYTES, this.#used - kept, this.#used)
    this.#used = HEAD_BYTES + kept
    this.#used += chunk.copy(room, this.#used, Math.max(from, chunk.length - TAIL_BYTES))
  }
}
