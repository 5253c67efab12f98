import { emitKeypressEvents, type Interface, type Key as NodeKey } from 'node:readline'
import type { Key } from '../state/key.ts'

/** Keys of a terminal, one by one, while it is held. */
export interface Keyboard {
  /** Takes keys as they are pressed, those that end programs too. */
  hold(): void
  /** Gives the terminal's own line editing back. */
  release(): void
  close(): void
}

/** An Esc that nothing follows for so long is the key, and not the start of another one's code. */
const ESCAPE_MS = 50

export const openKeyboard = (stdin: NodeJS.ReadStream, onKey: (key: Key) => void): Keyboard => {
  // Of the interface no more than this is read
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface)
  const pressed = (text: string | undefined, key: NodeKey): void => {
    for (const one of keysOf(text, key)) onKey(one)
  }
  stdin.on('keypress', pressed)
  return {
    hold: () => {
      stdin.setRawMode(true)
      stdin.resume()
    },
    release: () => {
      stdin.setRawMode(false)
    },
    close: () => {
      stdin.off('keypress', pressed)
      stdin.setRawMode(false)
      // Nothing of it keeps the process alive
      stdin.pause()
      stdin.unref()
    },
  }
}

const NAMES: Readonly<Record<string, Key['name']>> = {
  up: 'up',
  down: 'down',
  pageup: 'page-up',
  pagedown: 'page-down',
  home: 'home',
  end: 'end',
  tab: 'tab',
  return: 'enter',
  enter: 'enter',
  escape: 'escape',
  backspace: 'backspace',
  delete: 'backspace',
}

/** What Node tells of a key, as the keys that the dashboard knows. */
const keysOf = (text: string | undefined, { name, ctrl, meta, shift, sequence }: NodeKey): readonly Key[] => {
  // Terminals send the same for Alt and a key as for Esc and then the key, and here only the second means anything
  if (meta === true && name !== 'escape') return [ESCAPE, ...keysOf(sequence?.slice(1), { name, ctrl, shift })]
  if (name === 'tab' && shift === true) return [{ input: '', name: 'back-tab' }]
  const known = name === undefined ? undefined : NAMES[name]
  if (known !== undefined) return [{ input: '', name: known }]
  if (ctrl === true) return [{ input: name ?? '', isCtrl: true }]
  return text === undefined || text < ' ' || text.startsWith('\u007F') ? [] : [{ input: text }]
}

const ESCAPE: Key = { input: '', name: 'escape' }
