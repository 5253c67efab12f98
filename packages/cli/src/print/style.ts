import type { Io, Output } from '../io.ts'

export type ColorChoice = 'auto' | 'always' | 'never'

/** Paints text, or leaves it as it is. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

const paint =
  (open: number, close: number, on: boolean) =>
  (text: string): string =>
    on ? `\u001B[${open}m${text}\u001B[${close}m` : text

export const styleOf = (on: boolean): Style => ({
  bold: paint(1, 22, on),
  dim: paint(2, 22, on),
  red: paint(31, 39, on),
  green: paint(32, 39, on),
  yellow: paint(33, 39, on),
})

/**
 * Whether to colour an output: what was asked on the command line, then FORCE_COLOR, NO_COLOR
 * (https://no-color.org), TERM=dumb and CI, then whether a terminal reads it.
 */
export const hasColor = (choice: ColorChoice, output: Output, env: Io['env']): boolean => {
  if (choice !== 'auto') return choice === 'always'
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (env['NO_COLOR'] || env['TERM'] === 'dumb' || env['CI']) return false
  return output.isTTY === true
}
