// The text the simulated engine speaks: words in a fixed order that starts elsewhere for every model, so that an
// answer shows which model gave it and any cut or repetition in a stream is seen.

const WORDS =
  'the river runs past old mills and quiet farms until it meets the sea where small boats wait for morning tide ' +
  'and gulls call over grey water while a bell rings from some far tower across the bay'

const words = WORDS.split(' ')

/** The text of token `index` of any answer of `model`. */
export function tokenText(model: string, index: number): string {
  return ` ${words[(textHash(model) + index) % words.length] ?? ''}`
}

/** Token ids of a text: one per word, the same word always the same id. */
export function tokenIds(text: string): number[] {
  return text.split(/\s+/).flatMap((word) => (word === '' ? [] : [textHash(word) % 32_000]))
}

export function textHash(text: string): number {
  let hash = 2_166_136_261
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619) >>> 0
  return hash
}
