// Line feeds and tabs stay; what else could move the cursor or set a title does not.
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g

/** Text from elsewhere (model names, engine output) made safe for a terminal: control characters become visible. */
export const plain = (text: string): string =>
  text.replaceAll(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** The same for a cell of a table: one line. */
export const plainLine = (text: string): string => plain(text).replaceAll(/[\n\t]+/g, ' ')
