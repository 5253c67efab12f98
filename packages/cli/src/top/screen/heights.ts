import type { PanelName } from '../panel/panel.ts'

/** What a panel needs besides its rows: its title, and the names of its columns. */
export interface Wanted {
  readonly frame: number
  readonly rows: number
}

/** Rows that a panel shows at least, if it has so many; the rest is shared by who needs more. */
const LEAST: Readonly<Record<PanelName, number>> = { hosts: 1, models: 3, queue: 3, events: 2 }
/** Who goes first where not all have room. */
const LEAVING: readonly PanelName[] = ['events', 'hosts', 'queue', 'models']
/** What a round of sharing gives. */
const SHARE: Readonly<Record<PanelName, number>> = { hosts: 1, models: 3, queue: 3, events: 1 }

/** How many rows of items each panel gets; undefined: it is not shown. The one in focus always is. */
export const shareHeight = (
  wanted: Readonly<Record<PanelName, Wanted>>,
  {
    height,
    focus,
    names,
  }: { readonly height: number; readonly focus: PanelName; readonly names: readonly PanelName[] },
): Readonly<Record<PanelName, number | undefined>> => {
  const least = (name: PanelName): number => wanted[name].frame + Math.min(LEAST[name], wanted[name].rows)
  let shown = [...names]
  const needed = (): number => shown.reduce((sum, name) => sum + least(name), 0)
  for (const name of LEAVING) {
    if (needed() > height && name !== focus) shown = shown.filter((one) => one !== name)
  }
  const rows = new Map(shown.map((name) => [name, Math.min(LEAST[name], wanted[name].rows)]))
  let left = height - needed()
  // Alone and still too high: it shows what fits
  if (left < 0) rows.set(focus, Math.max(0, (rows.get(focus) ?? 0) + left))
  while (left > 0) {
    const before = left
    for (const name of shown.toSorted((a, b) => Number(b === focus) - Number(a === focus))) {
      const missing = wanted[name].rows - (rows.get(name) ?? 0)
      const more = Math.min(left, missing, SHARE[name] * (name === focus ? 2 : 1))
      rows.set(name, (rows.get(name) ?? 0) + more)
      left -= more
    }
    if (left === before) break
  }
  return { hosts: rows.get('hosts'), models: rows.get('models'), queue: rows.get('queue'), events: rows.get('events') }
}
