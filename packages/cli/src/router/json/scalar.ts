// JSON's numbers and the words true, false and null as one table: state × byte → next state.

/** Not a scalar, or a broken one. */
export const BROKEN = 0
/** The byte ends the scalar and belongs to what follows. */
export const ENDED = 1
/** State before the first byte. */
export const START = 2

const TRUE_END = 3
const FALSE_END = 4
const NULL_END = 5
const MINUS = 6
const ZERO = 7
const INTEGER = 8
const POINT = 9
const FRACTION = 10
const EXPONENT = 11
const EXPONENT_SIGN = 12
const EXPONENT_DIGITS = 13
const FIRST_LETTER = 14

/** Whether the state is a whole number or word. */
const isWhole = (state: number): boolean =>
  (state >= TRUE_END && state <= NULL_END) ||
  state === ZERO ||
  state === INTEGER ||
  state === FRACTION ||
  state === EXPONENT_DIGITS

const code = (character: string): number => character.charCodeAt(0)

const build = (): Uint8Array => {
  const table = new Uint8Array(32 * 256)
  let states = FIRST_LETTER
  const go = (from: number, characters: string, to: number): void => {
    for (const character of characters) table[(from << 8) | code(character)] = to
  }
  const word = (text: string, end: number): void => {
    let from = START
    for (const [index, character] of text.split('').entries()) {
      const to = index === text.length - 1 ? end : states++
      go(from, character, to)
      from = to
    }
  }
  word('true', TRUE_END)
  word('false', FALSE_END)
  word('null', NULL_END)
  const digits = '0123456789'
  go(START, '-', MINUS)
  for (const from of [START, MINUS]) {
    go(from, '0', ZERO)
    go(from, '123456789', INTEGER)
  }
  go(INTEGER, digits, INTEGER)
  for (const from of [ZERO, INTEGER]) go(from, '.', POINT)
  for (const from of [POINT, FRACTION]) go(from, digits, FRACTION)
  for (const from of [ZERO, INTEGER, FRACTION]) go(from, 'eE', EXPONENT)
  go(EXPONENT, '+-', EXPONENT_SIGN)
  for (const from of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) go(from, digits, EXPONENT_DIGITS)
  for (let state = START; state < states; state++) if (isWhole(state)) go(state, ' \t\n\r,]}', ENDED)
  return table
}

export const SCALAR = build()

/** The boolean that a state stands for, undefined for every other scalar. */
export const booleanOf = (state: number): boolean | undefined => {
  if (state === TRUE_END) return true
  return state === FALSE_END ? false : undefined
}
