import type { Io } from '../../io.ts'
import type { Clock } from '../../router/clock.ts'
import type { Row } from '../cells/row.ts'
import type { OutsideEffect } from '../source/source.ts'
import type { Frame, Size } from '../screen/size.ts'
import { reduce, type UiEvent } from '../state/reduce.ts'
import type { Effect, Ui } from '../state/ui.ts'
import { openInk } from './ink.ts'
import { openKeyboard } from './keyboard.ts'
import { createPacer } from './pacer.ts'
import { isSameRow } from './paint.ts'
import { createPainter } from './painter.ts'

export interface SessionOptions {
  readonly io: Pick<Io, 'onSignal' | 'onCrash'>
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly clock: Clock
  readonly hasColor: boolean
  readonly start: Ui
  readonly screen: (ui: Ui, size: Size, ownNow: number) => Frame
  readonly perform: (effect: OutsideEffect) => void
}

/** A dashboard on a terminal, from the first frame until its end. */
export interface Session {
  readonly tell: (event: UiEvent) => void
  /** Resolves with the exit code once the terminal is as it was; rejects with a bug. */
  readonly ended: Promise<number>
  readonly fail: (error: unknown) => void
}

/** A frame in which time is shown that passes, and one in which hardly anything moves. */
const TICK_MS = 1_000
const REST_MS = 5_000
/** Whoever can not be stopped (no shell waits for it) goes on after this. */
const ASIDE_MS = 100

export const openSession = (options: SessionOptions): Session => {
  const { io, stdin, stdout, clock, screen } = options
  let resolve!: (exitCode: number) => void
  let reject!: (error: unknown) => void
  const ended = new Promise<number>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  let ui = options.start
  let shown: readonly Row[] = []
  let isOver = false
  let isAside = false

  const painter = createPainter((text) => stdout.write(text))
  const fail = (error: unknown): void => close(() => reject(error))
  const guarded = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      fail(error)
    }
  }

  const sizeNow = (): Size => {
    askSize(stdout)
    return { columns: stdout.columns || 80, rows: stdout.rows || 24 }
  }

  const draw = (): number => {
    guarded(() => {
      if (isOver || isAside) return
      const size = sizeNow()
      const frame = screen(ui, size, clock.now())
      if (ui.overlay !== undefined && frame.scroll !== undefined && frame.scroll !== ui.overlay.scroll)
        ui = { ...ui, overlay: { ...ui.overlay, scroll: frame.scroll } }
      if (frame.rows.length === shown.length && frame.rows.every((row, at) => isSameRow(row, shown[at] ?? row))) return
      shown = frame.rows
      ink.show(frame.rows, size)
    })
    return isMoving(ui) ? TICK_MS : REST_MS
  }
  const pacer = createPacer(clock, draw)

  const repaint = (): void => {
    shown = []
    painter.forget()
    pacer.key()
  }

  const tell = (event: UiEvent): void => {
    guarded(() => {
      const step = reduce(ui, event)
      ui = step.ui
      for (const effect of step.effects) carryOut(effect)
      if (event.type === 'pressed') pacer.key()
      else pacer.news()
    })
  }

  const carryOut = (effect: Effect): void => {
    if (effect.type === 'quit') return close(() => resolve(effect.exitCode))
    if (effect.type === 'suspend') return putAside()
    return options.perform(effect)
  }

  /** To the shell that started it, until `fg`. */
  const putAside = (): void => {
    isAside = true
    painter.leave()
    keyboard.release()
    process.kill(0, 'SIGTSTP')
    clock.setTimer(clock.now() + ASIDE_MS, comeBack)
  }
  const comeBack = (): void => {
    if (isOver) return
    isAside = false
    keyboard.hold()
    painter.enter()
    repaint()
  }

  const ink = openInk({
    stdin,
    painter,
    hasColor: options.hasColor,
    onBug: fail,
  })
  const keyboard = openKeyboard(stdin, (key) => tell({ type: 'pressed', key }))
  const leave = (): void => painter.leave()
  const releases = [
    io.onSignal('SIGINT', () => close(() => resolve(130))),
    io.onSignal('SIGTERM', () => close(() => resolve(0))),
    io.onSignal('SIGHUP', () => close(() => resolve(0))),
    io.onSignal('SIGCONT', comeBack),
    io.onCrash(fail),
  ]
  stdout.on('resize', repaint)
  // Whatever ends the process
  process.on('exit', leave)

  const close = (settle: () => void): void => {
    if (isOver) return
    isOver = true
    pacer.stop()
    stdout.off('resize', repaint)
    try {
      keyboard.close()
      ink.close()
    } finally {
      painter.leave()
      process.off('exit', leave)
      // Ink's own handler comes after ours, and kills the process where it finds itself alone
      setImmediate(() => {
        for (const release of releases) release()
        settle()
      })
    }
  }

  keyboard.hold()
  painter.enter()
  pacer.key()
  return { tell, ended, fail }
}

/**
 * The signal of another size goes to who has the terminal as its controlling one, which a program behind `setsid` has not: whoever draws
 * asks. Node keeps the size that it read at the signal; what reads it anew, and tells of `resize`, has no public name.
 */
const askSize = (stdout: NodeJS.WriteStream): void => {
  const { _refreshSize: refresh } = stdout as { _refreshSize?: () => void }
  refresh?.call(stdout)
}

/** Whether a time is shown that grows. */
const isMoving = ({ seen, link }: Ui): boolean => {
  if (link.type === 'lost' || seen === undefined) return true
  const { waiting, running, swaps } = seen.state
  return waiting.length > 0 || running.length > 0 || swaps.some(({ endedAt }) => endedAt === null)
}
