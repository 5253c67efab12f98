import type { FeedState, ModelState, WaitingState } from '@lswap/core/protocol'
import type { Seen } from '../../../src/client/feed.ts'
import { reduce } from '../../../src/top/state/reduce.ts'
import type { Key } from '../../../src/top/state/key.ts'
import { startUi, type Effect, type Ui } from '../../../src/top/state/ui.ts'
import { emptyState, modelIn } from '../../progress/feed-state.ts'

const HOUR = 3_600_000
/** Long before: what is shown of it does not change while a test runs. */
export const NOW = 1_000 * HOUR

export const waitingIn = (id: number, changes: Partial<WaitingState> = {}): WaitingState => ({
  id,
  model: 'tiny',
  band: 'normal',
  priority: 0,
  caller: 'anonymous',
  receivedAt: NOW - 5 * HOUR,
  position: id,
  attempts: 0,
  estimate: null,
  cause: { type: 'loading', text: `waits for reason ${id}` },
  ...changes,
})

export const modelsNamed = (count: number): readonly ModelState[] =>
  Array.from({ length: count }, (_, at) => modelIn(`model-${String(at + 1).padStart(3, '0')}`, 'stopped'))

/** A router that nothing happens to, with so many models and waiting requests; `total`: those who wait without being told. */
export const stateOf = (changes: Partial<FeedState> = {}): FeedState => ({
  ...emptyState,
  router: { version: '1', startedAt: NOW - 50 * HOUR, isClosing: false },
  hosts: [{ host: 'local', up: true, devices: [], failure: null }],
  ...changes,
})

export const queueOf = (waiting: readonly WaitingState[], total = waiting.length): Partial<FeedState> => ({
  waiting: [...waiting],
  queue: { total, bands: [{ band: 'normal', depth: total, dispatched: 0 }] },
})

export const seenOf = (state: FeedState): Seen => ({ state, at: NOW })

/** The dashboard's own clock starts with 0. */
export const uiOf = (
  state: FeedState,
  options: { readonly isReadonly?: boolean; readonly kind?: Ui['kind'] } = {},
): Ui =>
  reduce(startUi({ kind: options.kind ?? 'router', url: 'http://router', isReadonly: options.isReadonly === true }), {
    type: 'seen',
    seen: seenOf(state),
    at: 0,
  }).ui

const NAMED = new Set<unknown>([
  'up',
  'down',
  'page-down',
  'end',
  'home',
  'tab',
  'back-tab',
  'enter',
  'escape',
  'backspace',
])

/** The dashboard after some keys, and what they asked for. */
export const press = (ui: Ui, ...keys: readonly string[]): { readonly ui: Ui; readonly effects: readonly Effect[] } =>
  keys.reduce<{ ui: Ui; effects: readonly Effect[] }>(
    (before, key) => {
      const pressed = (NAMED.has(key) ? { input: '', name: key } : { input: key }) as Key
      const step = reduce(before.ui, { type: 'pressed', key: pressed })
      return { ui: step.ui, effects: [...before.effects, ...step.effects] }
    },
    { ui, effects: [] },
  )
