import type { Seen } from '../../client/feed.ts'
import type { TaskContext } from '../../commands/invocation.ts'
import { write } from '../../print/write.ts'
import { systemClock } from '../../router/clock.ts'
import { reached } from '../follow/reached.ts'
import type { Source } from '../source/source.ts'

/** The state as one document. `stale`: the router is not heard at the moment, and this is what was known last. */
export const document = ({ state, at }: Seen, stale: boolean): string => `${JSON.stringify({ at, stale, ...state })}\n`

/** A document each interval, until Ctrl-C or its reader has enough. */
export const jsonLines = async (
  source: Source,
  intervalMs: number,
  { io, signal }: Pick<TaskContext, 'io' | 'signal'>,
): Promise<void> => {
  const clock = systemClock()
  let last: Seen | undefined
  let isLost = false
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  let begin!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const following = source.follow({
    clock,
    signal: both,
    listener: {
      seen: (seen) => {
        last = seen
        isLost = false
        begin()
      },
      heard: () => {
        isLost = false
      },
      lost: () => {
        isLost = true
      },
    },
  })
  const telling = async (): Promise<void> => {
    await begun
    for (let at = clock.now(); !both.aborted; at += intervalMs) {
      await reached(clock, at, both)
      if (last !== undefined && !both.aborted && !(await write(io.stdout, document(last, isLost)))) return
    }
  }
  try {
    // A failure of either ends both
    await Promise.race([following, telling()])
  } finally {
    ended.abort()
  }
}
