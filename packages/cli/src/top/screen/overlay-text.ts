import { plain, plainLine } from '../../print/plain.ts'
import { waitSentence } from '../panel/queue.ts'
import { panelOf } from '../panel/panels.ts'
import { agentRowKey, agentRows } from '../panel/agent-models.ts'
import { keysFor } from '../state/key.ts'
import type { Overlay, Ui } from '../state/ui.ts'
import { modelText, placementLines } from './model-text.ts'

export interface OverlayText {
  readonly title: string
  readonly lines: readonly string[]
}

/** What an overlay says now. */
export const overlayText = (ui: Ui & { readonly overlay: Overlay }, now: number): OverlayText => {
  const { overlay } = ui
  const key = plainLine(overlay.key)
  switch (overlay.type) {
    case 'help':
      return { title: 'Keys', lines: helpLines(ui) }
    case 'log':
      return { title: `Log of ${key}`, lines: overlay.lines ?? ['waiting for its first line…'] }
    case 'request':
      return { title: `Request ${key}`, lines: requestLines(ui, now) }
    case 'model':
      return { title: key, lines: modelLines(ui, now) }
    case 'host':
      return { title: key, lines: rowLines(ui, { panel: 'hosts', now }) }
    case 'event':
      return { title: 'Event', lines: rowLines(ui, { panel: 'events', now }) }
    default:
      return overlay.type satisfies never
  }
}

const requestLines = ({ seen, overlay }: Ui & { readonly overlay: Overlay }, now: number): readonly string[] => {
  const waiting = seen?.state.waiting.find(({ id }) => String(id) === overlay.key)
  const why = waiting === undefined ? [] : [waitSentence(waiting, now), '']
  return [...why, ...(overlay.lines ?? ['asking the router where its time went…'])]
}

const rowLines = (
  { seen, overlay, kind }: Ui & { readonly overlay: Overlay },
  { panel: name, now }: { readonly panel: 'hosts' | 'models' | 'events'; readonly now: number },
): readonly string[] => {
  const panel = panelOf(name, kind)
  const item = seen === undefined ? undefined : panel.items(seen.state).find((one) => panel.keyOf(one) === overlay.key)
  return seen === undefined || item === undefined ? ['it is gone'] : [panel.sentence(item, seen.state, now)]
}

const modelLines = (ui: Ui & { readonly overlay: Overlay }, now: number): readonly string[] => {
  if (ui.seen === undefined) return []
  if (ui.kind === 'router') return modelText(ui.overlay.key, ui.seen.state, now)
  const row = agentRows(ui.seen.state).find((one) => agentRowKey(one) === ui.overlay.key)
  const about = rowLines(ui, { panel: 'models', now })
  if (row === undefined) return about
  const { busySlots, slots } = row.placement
  // Where the engine does not say how many of its slots are in use, none would be a guess
  const told = { ...row.placement, inFlight: busySlots ?? 0, slots: busySlots === undefined ? null : slots }
  return [...about, '', ...placementLines(told, now).map(plain)]
}

const helpLines = ({ isReadonly, kind }: Ui): readonly string[] => [
  '↑ ↓ j k       the row above, below; PgUp PgDn ten of them; g G the ends',
  ...keysFor({ isReadonly, kind }).map(({ key, help }) => `${key.padEnd(14)}${help}`),
  '',
  ...(kind === 'agents' ? AGENT_HELP : ROUTER_HELP),
]

const ROUTER_HELP = [
  'BUSY: requests that run, of how many at once. P95: 95 of its latest 100 requests waited no longer. UNTIL: when it is unloaded for being idle.',
  '',
  'POS: the place in the order of dispatch. ESTIMATE: how long until its turn, by what was measured; <: at most, where nothing was measured yet.',
]

const AGENT_HELP = [
  'BUSY: slots at work, of how many, as the engine told last; -: it did not tell lately, as one that is very busy may not.',
  '',
  'These are agents, without a router. Looking takes a host from nobody. While a router uses one, a key that changes something asks first: the router is told and may undo it.',
]
