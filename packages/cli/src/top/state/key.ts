import type { Ui } from './ui.ts'

/** A key that was pressed. */
export interface Key {
  /** The character, or '' for keys that write none. */
  readonly input: string
  readonly name?:
    | 'up'
    | 'down'
    | 'page-up'
    | 'page-down'
    | 'home'
    | 'end'
    | 'tab'
    | 'back-tab'
    | 'enter'
    | 'escape'
    | 'backspace'
    | undefined
  readonly isCtrl?: boolean
}

/** What each key does, for the help and the footer. Where there is no room, those with the highest number are left out. */
const KEYS: readonly {
  readonly key: string
  readonly short: string
  readonly help: string
  readonly priority: number
  /** It changes something at the router or an agent. */
  readonly changes?: true
  /** Agents alone know nothing of it. */
  readonly isOfRouters?: true
}[] = [
  { key: 'u', short: 'unload', help: 'unload the model; asks first', priority: 2, changes: true },
  { key: 'Enter', short: 'explain', help: 'all about the chosen row: why it waits, where its time went', priority: 1 },
  { key: 'l', short: 'load', help: 'load the model', priority: 4, changes: true },
  {
    key: 'p',
    short: 'pin',
    help: 'keep the model loaded, or no longer',
    priority: 6,
    changes: true,
    isOfRouters: true,
  },
  {
    key: 'x',
    short: 'cancel',
    help: 'cancel the waiting request; asks first',
    priority: 5,
    changes: true,
    isOfRouters: true,
  },
  { key: 'f', short: 'logs', help: "follow what the model's engine prints", priority: 8 },
  { key: '/', short: 'filter', help: 'show only rows with these words; Esc shows all again', priority: 7 },
  { key: 's', short: 'sort', help: 'another order; S turns it round', priority: 9 },
  { key: 'Tab', short: 'panel', help: 'the next panel; Shift-Tab the one before', priority: 3 },
  { key: '?', short: 'help', help: 'this', priority: 0 },
  { key: 'q', short: 'quit', help: 'quit; so does Ctrl-C, and Ctrl-Z puts it aside', priority: 0 },
]

/** Those that mean something there. */
export const keysFor = ({ isReadonly, kind }: Pick<Ui, 'isReadonly' | 'kind'>): typeof KEYS =>
  KEYS.filter(
    ({ changes, isOfRouters }) => !(isReadonly && changes === true) && !(kind === 'agents' && isOfRouters === true),
  )
