import { EventEmitter } from 'node:events'
import { render } from 'ink'
import { createElement, type ReactElement } from 'react'
import type { Row } from '../cells/row.ts'
import type { Size } from '../screen/size.ts'
import { Painted } from './paint.ts'
import type { Painter } from './painter.ts'

export interface InkOptions {
  readonly stdin: NodeJS.ReadStream
  readonly painter: Painter
  readonly hasColor: boolean
  /** A component threw. */
  readonly onBug: (error: unknown) => void
}

export interface InkScreen {
  show(rows: readonly Row[], size: Size): void
  close(): void
}

/**
 * Ink makes text of components, and nothing else: in its debug mode it writes each frame whole, and the painter brings it to the terminal. By itself it
 * would clear the terminal with all that was scrolled back as soon as a frame is as high as the screen.
 */
export const openInk = ({ stdin, painter, hasColor, onBug }: InkOptions): InkScreen => {
  // What Ink takes for a terminal. It never tells of another size: each frame is made for one
  const stdout = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    write: (frame: string) => {
      painter.paint(frame)
      return true
    },
  })
  const view = (rows: readonly Row[], size: Size): ReactElement => createElement(Painted, { rows, size, hasColor })
  let instance: ReturnType<typeof render> | undefined
  return {
    show: (rows, size) => {
      Object.assign(stdout, size)
      if (instance !== undefined) return instance.rerender(view(rows, size))
      instance = render(view(rows, size), {
        stdin,
        stdout: stdout as unknown as NodeJS.WriteStream,
        debug: true,
        exitOnCtrlC: false,
        patchConsole: false,
      })
      instance.waitUntilExit().catch(onBug)
      return undefined
    },
    close: () => instance?.unmount(),
  }
}
