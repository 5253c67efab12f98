// What a terminal is told. Nothing here erases what was there before the dashboard (`ESC[3J`), and nothing scrolls.
const ESC = '\u001B['
/** The other screen, blank, without a cursor, and without line wrap: a width that is measured wrong must not move rows. */
const ENTER = `${ESC}?1049h${ESC}2J${ESC}H${ESC}?25l${ESC}?7l`
const LEAVE = `${ESC}0m${ESC}?7h${ESC}?25h${ESC}?1049l`
const CLEAR = `${ESC}2J`
/** Terminals that know it show all of a frame at once. */
const BEGIN = `${ESC}?2026h`
const END = `${ESC}?2026l`

/** The one that writes to the terminal. */
export interface Painter {
  enter(): void
  /** Leaves the terminal as it was. Idempotent. */
  leave(): void
  /** The next frame is painted whole. */
  forget(): void
  /** Paints the lines of a frame that changed, each in its place. */
  paint(frame: string): void
}

export const createPainter = (write: (text: string) => void): Painter => {
  let isInside = false
  let painted: readonly string[] = []
  let isBlank = true
  return {
    enter: () => {
      isInside = true
      isBlank = true
      painted = []
      write(ENTER)
    },
    leave: () => {
      if (!isInside) return
      isInside = false
      write(LEAVE)
    },
    forget: () => {
      isBlank = false
      painted = []
    },
    paint: (frame) => {
      if (!isInside) return
      const lines = frame.split('\n')
      const changed = lines.flatMap((line, at) =>
        // Erased first: after a line as wide as the screen the cursor still stands on its last character
        line === painted[at] ? [] : [`${ESC}${at + 1};1H${ESC}K${line}`],
      )
      const clear = isBlank || painted.length > 0 ? '' : CLEAR
      if (changed.length > 0) write(BEGIN + clear + changed.join('') + END)
      painted = lines
    },
  }
}
