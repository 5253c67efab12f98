import { LswapError } from '@lswap/core/errors'
import { watch, type Seen } from '../../client/feed.ts'
import { connect, QUICK_MS, type RouterClient } from '../../client/router-client.ts'
import type { Io } from '../../io.ts'
import { hasColor } from '../../print/style.ts'
import { write } from '../../print/write.ts'
import { document, jsonLines } from '../../top/plain/json.ts'
import { plainLines } from '../../top/plain/lines.ts'
import { snapshotText } from '../../top/plain/snapshot.ts'
import type { OutputFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { TopFlags } from './command.ts'

const DONE: Outcome = { data: {}, text: '', exitCode: 0 }

/** Shows a router live, in the way that fits what reads it. */
export const top = async (flags: TopFlags & OutputFlags, context: TaskContext): Promise<Outcome> => {
  const { io } = context
  const ended = new AbortController()
  const router = await connect(flags, { io, signal: ended.signal })
  if (flags.json !== true && flags.once !== true && isDashboard(flags, io)) {
    const { dashboard } = await import('../../top/dashboard.ts')
    const exitCode = await dashboard({
      router,
      io,
      stdin: process.stdin,
      stdout: process.stdout,
      hasColor: hasColor(flags.color, io.stdout, io.env),
      isReadonly: flags.readonly === true,
      ended,
    })
    return { ...DONE, exitCode }
  }
  const release = io.onSignal('SIGINT', () => ended.abort())
  try {
    await print(router, flags, { ...context, signal: ended.signal })
    return DONE
  } finally {
    release()
  }
}

const print = async (router: RouterClient, flags: TopFlags & OutputFlags, context: TaskContext): Promise<void> => {
  const { io, style, signal } = context
  if (flags.once === true) {
    const seen = await first(router)
    const text = flags.json === true ? document(seen, false) : snapshotText(seen, router.url, style)
    return write(io.stdout, text)
  }
  await (flags.json === true ? jsonLines(router, flags.interval, context) : plainLines(router, context))
  if (signal.aborted) throw new LswapError({ code: 'cancelled', message: 'Interrupted.' })
}

/** What was asked for, then CI and TERM=dumb, then whether a person sits there. */
const isDashboard = ({ plain }: TopFlags, { stdin, stdout, env }: Io): boolean => {
  if (plain === true || env['CI'] || env['TERM'] === 'dumb') return false
  return stdout.isTTY === true && stdin.isTTY === true
}

const first = async (router: RouterClient): Promise<Seen> => {
  const over = new AbortController()
  const limit = setTimeout(() => over.abort(), QUICK_MS)
  try {
    for await (const seen of watch(router, over.signal)) return seen
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    clearTimeout(limit)
    over.abort()
  }
  throw new LswapError({ code: 'timed_out', message: `${router.url} did not say anything.` })
}
