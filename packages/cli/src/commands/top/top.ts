import { LswapError } from '@lswap/core/errors'
import { connect } from '../../client/router-client.ts'
import type { Io } from '../../io.ts'
import { hasColor } from '../../print/style.ts'
import { write } from '../../print/write.ts'
import { document, jsonLines } from '../../top/plain/json.ts'
import { plainLines } from '../../top/plain/lines.ts'
import { snapshotText } from '../../top/plain/snapshot.ts'
import type { Source } from '../../top/source/source.ts'
import { routerSource } from '../../top/source/router.ts'
import type { OutputFlags } from '../flags.ts'
import { INTERRUPTED, type Outcome, type TaskContext } from '../invocation.ts'
import type { TopFlags } from './command.ts'

const DONE: Outcome = { data: {}, text: '', exitCode: 0 }

/** Shows a router, or agents, live, in the way that fits what reads it. */
export const top = async (flags: TopFlags & OutputFlags, context: TaskContext): Promise<Outcome> => {
  const { io } = context
  const ended = new AbortController()
  const source = await sourceOf(flags, io, ended.signal)
  if (flags.json !== true && flags.once !== true && isDashboard(flags, io)) {
    const { dashboard } = await import('../../top/dashboard.ts')
    const exitCode = await dashboard({
      source,
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
    await print(source, flags, { ...context, signal: ended.signal })
    return ended.signal.aborted ? INTERRUPTED : DONE
  } finally {
    release()
    ended.abort()
  }
}

const sourceOf = async (flags: TopFlags, io: Io, signal: AbortSignal): Promise<Source> => {
  const { agent } = flags
  if (agent === undefined) {
    if (flags.tokenFile !== undefined) throw needsAgent()
    return routerSource(await connect(flags, { io, signal }))
  }
  const { openAgents } = await import('../../top/agents/open.ts')
  return openAgents({ ...flags, agent }, io, signal)
}

const needsAgent = (): LswapError =>
  new LswapError({
    code: 'invalid_request',
    message: '--token-file is for agents: name them with --agent.',
    hint: 'The key of a router is given by --key-file.',
  })

const print = async (source: Source, flags: TopFlags & OutputFlags, context: TaskContext): Promise<void> => {
  const { io, style } = context
  if (flags.once === true) {
    const seen = await source.first()
    const text = flags.json === true ? document(seen, false) : snapshotText(seen, source, style)
    await write(io.stdout, text)
    return
  }
  await (flags.json === true ? jsonLines(source, flags.interval, context) : plainLines(source, context))
}

/** What was asked for, then CI and TERM=dumb, then whether a person sits there. */
const isDashboard = ({ plain }: TopFlags, { stdin, stdout, env }: Io): boolean => {
  if (plain === true || env['CI'] || env['TERM'] === 'dumb') return false
  return stdout.isTTY === true && stdin.isTTY === true
}
