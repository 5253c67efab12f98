import { panelOf, type AnyPanel } from '../panel/panels.ts'
import type { PanelName } from '../panel/panel.ts'
import type { Ui } from './ui.ts'

/** What a panel lists now, filtered and in order. */
export interface List {
  readonly panel: AnyPanel
  readonly items: readonly unknown[]
  /** How many there are without the filter. */
  readonly total: number
  /** The place of the chosen one; -1: the list is empty. */
  readonly chosenAt: number
}

export const listOf = (ui: Ui, name: PanelName): List => {
  const panel = panelOf(name, ui.kind)
  const all = ui.seen === undefined ? [] : panel.items(ui.seen.state)
  const items = sorted(ui, name, all.filter(passes(ui, panel)))
  const { key, at } = ui.chosen[name]
  const found = key === undefined ? -1 : items.findIndex((item) => panel.keyOf(item) === key)
  return {
    panel,
    items,
    total: all.length,
    chosenAt: found === -1 ? Math.min(Math.max(0, at), items.length - 1) : found,
  }
}

const passes = ({ filter }: Ui, panel: AnyPanel): ((item: unknown) => boolean) => {
  if (filter === '') return () => true
  const sought = filter.toLowerCase()
  return (item) => panel.words(item).toLowerCase().includes(sought)
}

const sorted = ({ sorting, kind }: Ui, name: PanelName, items: readonly unknown[]): readonly unknown[] => {
  const { by, isReversed } = sorting[name]
  const compare = panelOf(name, kind).sorts[by]?.compare
  const inOrder = compare === undefined ? items : items.toSorted(compare)
  return isReversed ? inOrder.toReversed() : inOrder
}

/** The key of the chosen row of a panel. */
export const chosenKey = (ui: Ui, name: PanelName): string | undefined => {
  const { panel, items, chosenAt } = listOf(ui, name)
  return chosenAt === -1 ? undefined : panel.keyOf(items[chosenAt])
}

/** Remembers where the chosen row is, for when it goes. */
export const keepPlace = (ui: Ui, name: PanelName): Ui => {
  const { panel, items, chosenAt } = listOf(ui, name)
  const { key } = ui.chosen[name]
  if (chosenAt === -1 || key === undefined) return ui
  return { ...ui, chosen: { ...ui.chosen, [name]: { key: panel.keyOf(items[chosenAt]), at: chosenAt } } }
}
