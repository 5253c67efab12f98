import type { Style } from './style.ts'

/** Colour only repeats what the word says. */
export const paintState = (state: string, text: string, style: Style): string => {
  if (state === 'ready') return style.green(text)
  if (state === 'stuck') return style.red(text)
  return state === 'stopped' ? style.dim(text) : style.yellow(text)
}
