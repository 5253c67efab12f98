/** A line of one document; what is longer is none of ours. */
const MOST_CHARS = 16 * 1024 * 1024

/** The documents of an NDJSON stream. An unfinished last line is dropped: the connection broke in it. */
export const documents = async function* (text: AsyncIterable<string>): AsyncGenerator<unknown, void> {
  let pending = ''
  for await (const part of text) {
    pending += part
    if (pending.length > MOST_CHARS) throw new Error('a line of the agent has no end')
    let from = 0
    for (let end = pending.indexOf('\n'); end !== -1; end = pending.indexOf('\n', from)) {
      yield JSON.parse(pending.slice(from, end)) as unknown
      from = end + 1
    }
    pending = pending.slice(from)
  }
}
