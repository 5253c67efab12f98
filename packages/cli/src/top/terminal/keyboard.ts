import { useInput, type Key as InkKey } from 'ink'
import { charactersOf } from '../../print/width.ts'
import type { Key } from '../state/key.ts'

/** Tells of each key. */
export const Keyboard = ({ onKey }: { readonly onKey: (key: Key) => void }): null => {
  useInput((input, key) => {
    for (const one of keysOf(input, key)) onKey(one)
  })
  return null
}

/** Keys that were pressed quickly come as one text. */
export const keysOf = (input: string, key: InkKey): readonly Key[] => {
  const name = nameOf(key)
  if (name !== undefined) return [{ input: '', name }]
  if (key.ctrl) return [{ input, isCtrl: true }]
  if (key.meta) return []
  return charactersOf(input).map(keyOf)
}

const nameOf = (key: InkKey): Key['name'] => {
  if (key.upArrow) return 'up'
  if (key.downArrow) return 'down'
  if (key.pageUp) return 'page-up'
  if (key.pageDown) return 'page-down'
  if (key.home) return 'home'
  if (key.end) return 'end'
  if (key.tab) return key.shift ? 'back-tab' : 'tab'
  if (key.return) return 'enter'
  if (key.escape) return 'escape'
  return key.backspace || key.delete ? 'backspace' : undefined
}

const NAMES: Readonly<Record<string, Key['name']>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001B': 'escape',
  '\u007F': 'backspace',
  '\b': 'backspace',
}

const keyOf = (character: string): Key => {
  const name = NAMES[character]
  if (name !== undefined) return { input: '', name }
  const code = character.charCodeAt(0)
  // Ctrl and a letter
  return code < 32 ? { input: String.fromCharCode(code + 96), isCtrl: true } : { input: character }
}
