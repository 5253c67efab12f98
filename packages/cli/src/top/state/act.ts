import { chosenKey } from './list.ts'
import { actAtAgent } from './act-at-agent.ts'
import { said, telling } from './say.ts'
import type { Step, Ui } from './ui.ts'

const ACTING = ['l', 'u', 'p', 'x'] as const
type Acting = (typeof ACTING)[number]

/** Whether a key changes something at the router. */
export const isActing = (input: string): input is Acting => ACTING.some((key) => key === input)

export const act = (ui: Ui, key: Acting): Step => {
  if (ui.isReadonly) return said(ui, 'read only: it was started with --readonly')
  if (ui.kind === 'agents') return actAtAgent(ui, key)
  if (key === 'x') return cancel(ui)
  const model = chosenModel(ui)
  if (model === undefined) return said(ui, 'choose a model first: Tab goes to the models')
  if (key === 'l') return { ui: telling(ui, `loading ${model}…`), effects: [{ type: 'load', model }] }
  if (key === 'p') {
    const isPinned = ui.seen?.state.models.find((one) => one.model === model)?.pinned === true
    return { ui, effects: [{ type: isPinned ? 'unpin' : 'pin', model }] }
  }
  return { ui: { ...ui, question: unloadQuestion(ui, model) }, effects: [] }
}

/** In the queue it is the model that the chosen request asks for. */
export const chosenModel = (ui: Ui): string | undefined => {
  const { focus, seen } = ui
  const key = chosenKey(ui, focus)
  if (focus === 'models') return key
  if (focus === 'queue') return seen?.state.waiting.find(({ id }) => String(id) === key)?.model
  return undefined
}

const unloadQuestion = ({ seen }: Ui, id: string): Ui['question'] => {
  const model = seen?.state.models.find((one) => one.model === id)
  const running = (model?.placements ?? []).reduce((sum, { inFlight }) => sum + inFlight, 0)
  const waiting = model?.waiting ?? 0
  const parts = [
    running === 0 ? '' : `${running} running ${running === 1 ? 'request ends' : 'requests end'} first`,
    // Somebody waits for an answer that does not come then
    waiting === 0 ? '' : `${waiting} waiting ${waiting === 1 ? 'one is' : 'ones are'} refused`,
  ].filter((part) => part !== '')
  const what = parts.length === 0 ? '' : `; ${parts.join(', ')}`
  const effect = { type: 'unload', model: id } as const
  return { text: `unload ${id}${what}?`, choices: [{ key: 'y', does: 'unloads it', effect }] }
}

const cancel = (ui: Ui): Step => {
  const request = ui.focus === 'queue' ? chosenKey(ui, 'queue') : undefined
  if (request === undefined) return said(ui, 'choose a waiting request first: Tab goes to the queue')
  const effect = { type: 'cancel', request } as const
  const question = { text: `cancel request ${request}?`, choices: [{ key: 'y', does: 'cancels it', effect }] }
  return { ui: { ...ui, question }, effects: [] }
}
