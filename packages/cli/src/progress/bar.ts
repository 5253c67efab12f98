import type { Style } from '../print/style.ts'
import { duration } from '../print/units.ts'
import type { Step } from './step.ts'

const CELLS = 24
/** Below this there is room for the words alone. */
const MIN_COLUMNS = 60

export interface BarOptions {
  readonly columns: number
  readonly style: Style
}

/** One line, never wider than the terminal: `loading tiny  [######------] 50 %  3.2 s`. */
export const bar = ({ text, since, fraction }: Step, at: number, { columns, style }: BarOptions): string => {
  const done = columns < MIN_COLUMNS ? undefined : fraction(at)
  const time = since === undefined ? '' : `  ${duration(Math.max(0, at - since))}`
  const cells = Math.round((done ?? 0) * CELLS)
  const meter = done === undefined ? '' : `  [${'#'.repeat(cells)}${'-'.repeat(CELLS - cells)}] ${percent(done)}`
  const room = Math.max(0, columns - 1 - meter.length - time.length)
  const words = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text
  return `${style.bold(words)}${meter}${style.dim(time)}`
}

const percent = (fraction: number): string => `${Math.round(fraction * 100)} %`.padStart(5)
