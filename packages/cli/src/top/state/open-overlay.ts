import { chosenKey } from './list.ts'
import { chosenModel } from './act.ts'
import type { Effect, Overlay, Step, Ui } from './ui.ts'

const TYPES = { hosts: 'host', models: 'model', queue: 'request', events: 'event' } as const

/** Shows more than a row can. */
export const openOverlay = (ui: Ui, what: 'explain' | 'help' | 'log'): Step => {
  if (what === 'help') return open(ui, { type: 'help', key: '' })
  if (what === 'log') {
    const model = chosenModel(ui)
    if (model === undefined) return nothing(ui, 'choose a model first: Tab goes to the models')
    return open(ui, { type: 'log', key: model }, [{ type: 'follow-log', model }])
  }
  const key = chosenKey(ui, ui.focus)
  if (key === undefined) return nothing(ui, 'there is nothing to explain here')
  return ui.focus === 'queue'
    ? open(ui, { type: 'request', key }, [{ type: 'explain', request: key }])
    : open(ui, { type: TYPES[ui.focus], key })
}

interface Opened {
  readonly type: Overlay['type']
  readonly key: string
}

const open = (ui: Ui, { type, key }: Opened, effects: readonly Effect[] = []): Step => ({
  ui: { ...ui, overlay: { type, key, lines: null, scroll: 0 } },
  effects,
})

const nothing = (ui: Ui, text: string): Step => ({ ui: { ...ui, message: { text, tone: 'busy' } }, effects: [] })
