const MOST_LINES = 30
const MOST_CHARACTERS = 300

/**
 * Keeps what the runner says of the assertions that fail, so that it can be told again where only the end of a log is
 * left. A test that fails because one inside it did has nothing to say of its own.
 */
export function failureDetails() {
  let told = []
  let block

  return {
    /** This outcome is a failure; the lines that come next say why. */
    failed(outcome) {
      block = { into: told, lines: [outcome], end: undefined }
    },
    line(text) {
      if (block === undefined) return
      const { into, lines, end } = block
      if (end === undefined) {
        if (text.trim() === '---') block.end = text.replace('---', '...')
        else block = undefined
      } else if (text !== end) lines.push(text)
      else {
        if (!lines.some((line) => line.includes("failureType: 'subtestsFailed'"))) into.push(...lines)
        block = undefined
      }
    },
    /** The details up to here, and the block that begins here, belong to one test; what comes later to another. */
    split() {
      const ended = told
      told = []
      return ended
    },
  }
}

/** The first lines, none of them endless. */
export function bounded(lines) {
  const more = lines.length - MOST_LINES
  const shown = lines.slice(0, MOST_LINES).map((line) => shorten(line))
  return more > 0 ? [...shown, `… and ${more} lines more, further up`] : shown
}

const shorten = (line) => (line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line)
