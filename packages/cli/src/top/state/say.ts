import type { Step, Ui } from './ui.ts'

/** What is being done. */
export const telling = (ui: Ui, text: string): Ui => ({ ...ui, message: { text, tone: undefined } })

/** Why a key does nothing now. */
export const said = (ui: Ui, text: string): Step => ({ ui: { ...ui, message: { text, tone: 'busy' } }, effects: [] })
