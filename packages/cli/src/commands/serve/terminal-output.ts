import pino from 'pino'
import type { Output } from '../../io.ts'

/**
 * A terminal that is held (Ctrl-S, a selection) stops whoever writes to it. Node's own stream writes on the event
 * loop, so this one writes in a thread.
 */
export const terminalOutput = (fd: 1 | 2): Output => {
  const output = pino.destination({ fd, sync: false })
  output.on('error', () => {})
  let done: (() => void)[] = []
  output.on('drain', () => {
    const written = done
    done = []
    for (const tell of written) tell()
  })
  return {
    isTTY: true,
    write: (text, tell) => {
      if (tell) done.push(() => tell())
      return output.write(text)
    },
  }
}
