import type { Seen } from '../../client/feed.ts'
import type { TaskContext } from '../../commands/invocation.ts'
import { write } from '../../print/write.ts'
import { systemClock } from '../../router/clock.ts'
import type { Source } from '../source/source.ts'
import { newsLines } from './news.ts'
import { snapshotText } from './snapshot.ts'

/** For a file, a pipe or a plain terminal: a snapshot, and then a line for each thing that happens, until Ctrl-C or its reader has enough. */
export const plainLines = async (source: Source, { io, style, say, signal }: TaskContext): Promise<void> => {
  let last: Seen | undefined
  let isLost = false
  const what = source.kind === 'agents' ? 'an agent answers' : 'the router answers'
  // In the order in which it was said, and no error lost
  let written: Promise<boolean> = Promise.resolve(true)
  const over = new AbortController()
  const print = (text: string): void => {
    written = written.then((isRead) => isRead && write(io.stdout, text))
    // Thrown below, once nothing more is followed
    written.then(
      (isRead) => isRead || over.abort(),
      () => over.abort(),
    )
  }
  await source.follow({
    clock: systemClock(),
    signal: AbortSignal.any([signal, over.signal]),
    listener: {
      seen: (seen) => {
        if (isLost) say(`${what} again`)
        isLost = false
        if (last === undefined) print(snapshotText(seen, source, style))
        else for (const line of newsLines(last.state, seen.state, seen.at)) print(`${line}\n`)
        last = seen
      },
      heard: () => {
        if (isLost) say(`${what} again`)
        isLost = false
      },
      lost: (why) => {
        if (!isLost) say(`${why}; trying again`)
        isLost = true
      },
    },
  })
  await written
}
