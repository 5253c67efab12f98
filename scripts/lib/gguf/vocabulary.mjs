// A SentencePiece vocabulary small enough to generate: bytes, single characters, and the beginnings of common words.

const tokenType = { normal: 1, unknown: 2, control: 3, byte: 6 }

export const endOfText = 2

const wordStart = '\u2581'
const characters = `${wordStart}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'"()[]{}<>|/\\-_=+*&^%$#@~\`\n`
const words =
  `the of and to in is it for on with as at by an be this that from or are was not have you he she they we one all can
  her his will up out so if what when who which their time like into then now only more very over how our way new work
  use make go see know get give good year day say hand part place case week world life child system program question
  number night point home water room mother area money story fact month lot right study book eye job word side kind head
  house service friend father power hour game line end member law car city name team minute idea body back parent face
  others level office door health person art war history party result change morning reason girl guy moment air teacher
  force education foot boy age policy music sense nation plan college interest death experience`.split(/\s+/)

/** Tokens with their types and scores (a higher score merges first); `pieces` is how many words take part. */
export function makeVocabulary(pieces) {
  const entries = new Map()
  const add = (text, type, score) => {
    if (!entries.has(text)) entries.set(text, { text, type, score })
  }
  add('<unk>', tokenType.unknown, 0)
  add('<s>', tokenType.control, 0)
  add('</s>', tokenType.control, 0)
  for (let byte = 0; byte < 256; byte += 1) {
    add(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, tokenType.byte, 0)
  }
  add('<|im_start|>', tokenType.control, 0)
  add('<|im_end|>', tokenType.control, 0)
  for (const character of characters) add(character, tokenType.normal, -1000)
  for (const word of words.slice(0, pieces)) addBeginnings(word, add)
  return [...entries.values()]
}

/** Whether a sampled token can be printed: those are the only ones the generated models ever say. */
export function isPrintable({ text, type }) {
  return type === tokenType.normal && text !== '\n'
}

// The tokenizer merges step by step, so that every beginning of a word must be a token, or the word is never reached.
function addBeginnings(word, add) {
  for (let length = 2; length <= word.length; length += 1) add(word.slice(0, length), tokenType.normal, -500 + length)
  add(wordStart + word[0], tokenType.normal, -400)
  for (let length = 2; length <= word.length; length += 1) {
    add(wordStart + word.slice(0, length), tokenType.normal, -300 + length)
  }
}
