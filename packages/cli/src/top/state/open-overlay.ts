import { chosenKey } from './list.ts'
import { agentRowKey } from '../panel/agent-models.ts'
import { chosenAgentRow } from './act-at-agent.ts'
import { chosenModel } from './act.ts'
import type { Effect, Overlay, Step, Ui } from './ui.ts'

const TYPES = { hosts: 'host', models: 'model', queue: 'request', events: 'event' } as const

/** Shows more than a row can. */
export const openOverlay = (ui: Ui, what: 'explain' | 'help' | 'log'): Step => {
  if (what === 'help') return open(ui, { type: 'help', key: '' })
  if (what === 'log') {
    const target = logTarget(ui)
    if (target === undefined) return nothing(ui, 'choose a model first: Tab goes to the models')
    return open(ui, { type: 'log', key: target.key }, [{ type: 'follow-log', ...target }])
  }
  const key = chosenKey(ui, ui.focus)
  if (key === undefined) return nothing(ui, 'there is nothing to explain here')
  return ui.focus === 'queue'
    ? open(ui, { type: 'request', key }, [{ type: 'explain', request: key }])
    : open(ui, { type: TYPES[ui.focus], key })
}

const logTarget = (
  ui: Ui,
): { readonly key: string; readonly model: string; readonly host: string | undefined } | undefined => {
  if (ui.kind === 'router') {
    const model = chosenModel(ui)
    return model === undefined ? undefined : { key: model, model, host: undefined }
  }
  const row = chosenAgentRow(ui)
  return row === undefined ? undefined : { key: agentRowKey(row), model: row.model, host: row.placement.host }
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
