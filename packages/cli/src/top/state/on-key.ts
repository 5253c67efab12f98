import { charactersOf } from '../../print/width.ts'
import { panelOf, panelsOf } from '../panel/panels.ts'
import { act, isActing } from './act.ts'
import type { Key } from './key.ts'
import { listOf } from './list.ts'
import { openOverlay } from './open-overlay.ts'
import type { Overlay, Step, Ui } from './ui.ts'

const PAGE = 10

/** The dashboard after a key, and what the key asks for. */
export const onKey = (given: Ui, key: Key): Step => {
  if (key.isCtrl === true && key.input === 'c') return { ui: given, effects: [{ type: 'quit', exitCode: 130 }] }
  if (key.isCtrl === true && key.input === 'z') return { ui: given, effects: [{ type: 'suspend' }] }
  const ui: Ui = { ...given, message: undefined }
  if (ui.question !== undefined) return answer(ui, key)
  if (ui.isTyping) return { ui: type(ui, key), effects: [] }
  if (key.input === 'q') return { ui, effects: [{ type: 'quit', exitCode: 0 }] }
  if (ui.overlay !== undefined) return inOverlay({ ...ui, overlay: ui.overlay }, key)
  return onPanels(ui, key)
}

/** Anything but a yes is a no: a slip of the finger must change nothing. */
const answer = (ui: Ui, { input }: Key): Step => {
  const { question } = ui
  const open: Ui = { ...ui, question: undefined }
  const chosen = question?.choices.find(({ key }) => key === input)
  if (chosen !== undefined) return { ui: open, effects: [chosen.effect] }
  return { ui: { ...open, message: { text: 'nothing was done', tone: undefined } }, effects: [] }
}

const type = (ui: Ui, { input, name, isCtrl }: Key): Ui => {
  if (name === 'enter') return { ...ui, isTyping: false }
  if (name === 'escape') return { ...ui, isTyping: false, filter: '' }
  if (name === 'backspace') return { ...ui, filter: charactersOf(ui.filter).slice(0, -1).join('') }
  if (name !== undefined || isCtrl === true) return ui
  return { ...ui, filter: ui.filter + input }
}

const inOverlay = (ui: Ui & { readonly overlay: Overlay }, key: Key): Step => {
  const by = moveBy(key)
  if (by !== undefined) {
    // A log is scrolled from its end
    const step = ui.overlay.type === 'log' ? -by : by
    return { ui: { ...ui, overlay: { ...ui.overlay, scroll: Math.max(0, ui.overlay.scroll + step) } }, effects: [] }
  }
  const isClosed = key.name === 'escape' || key.name === 'enter' || key.input === '?' || key.input === 'f'
  if (isClosed) return { ui: { ...ui, overlay: undefined }, effects: [{ type: 'close-overlay' }] }
  return { ui: { ...ui, message: { text: 'Esc goes back', tone: undefined } }, effects: [] }
}

const onPanels = (ui: Ui, key: Key): Step => {
  const by = moveBy(key)
  if (by !== undefined) return { ui: moved(ui, by), effects: [] }
  if (key.name === 'tab') return { ui: { ...ui, focus: nextPanel(ui, 1) }, effects: [] }
  if (key.name === 'back-tab') return { ui: { ...ui, focus: nextPanel(ui, -1) }, effects: [] }
  if (key.name === 'escape') return { ui: { ...ui, filter: '' }, effects: [] }
  if (key.name === 'enter') return openOverlay(ui, 'explain')
  if (key.input === '?') return openOverlay(ui, 'help')
  if (key.input === 'f') return openOverlay(ui, 'log')
  if (key.input === '/') return { ui: { ...ui, isTyping: true, filter: '' }, effects: [] }
  if (key.input === 's') return { ui: otherOrder(ui), effects: [] }
  if (key.input === 'S') return { ui: turnedRound(ui), effects: [] }
  if (isActing(key.input)) return act(ui, key.input)
  if (key.input === '' || key.isCtrl === true) return { ui, effects: [] }
  return {
    ui: { ...ui, message: { text: `"${key.input}" does nothing here; ? shows what does`, tone: 'busy' } },
    effects: [],
  }
}

const moveBy = ({ input, name }: Key): number | undefined => {
  if (name === 'up' || input === 'k') return -1
  if (name === 'down' || input === 'j') return 1
  if (name === 'page-up') return -PAGE
  if (name === 'page-down') return PAGE
  if (name === 'home' || input === 'g') return -Infinity
  return name === 'end' || input === 'G' ? Infinity : undefined
}

const moved = (ui: Ui, by: number): Ui => {
  const { panel, items, chosenAt } = listOf(ui, ui.focus)
  if (chosenAt === -1) return ui
  const at = Math.min(items.length - 1, Math.max(0, chosenAt + by))
  return { ...ui, chosen: { ...ui.chosen, [ui.focus]: { key: panel.keyOf(items[at]), at } } }
}

const nextPanel = ({ focus, kind }: Ui, by: 1 | -1): Ui['focus'] => {
  const names = panelsOf(kind)
  return names[(names.indexOf(focus) + by + names.length) % names.length] ?? focus
}

const otherOrder = (ui: Ui): Ui => {
  const { sorts } = panelOf(ui.focus, ui.kind)
  const by = (ui.sorting[ui.focus].by + 1) % sorts.length
  return inOrder(ui, { by, isReversed: false })
}

const turnedRound = (ui: Ui): Ui => {
  const { by, isReversed } = ui.sorting[ui.focus]
  return inOrder(ui, { by, isReversed: !isReversed })
}

const inOrder = (ui: Ui, sorting: Ui['sorting']['models']): Ui => {
  const name = panelOf(ui.focus, ui.kind).sorts[sorting.by]?.name ?? ''
  const text = `${ui.focus}: ${name}${sorting.isReversed ? ', turned round' : ''}`
  return { ...ui, sorting: { ...ui.sorting, [ui.focus]: sorting }, message: { text, tone: undefined } }
}
