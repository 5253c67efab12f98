import { connect, modelPath } from '../../client/router-client.ts'
import { plain } from '../../print/plain.ts'
import { write } from '../../print/write.ts'
import type { OutputFlags } from '../flags.ts'
import { INTERRUPTED, type Outcome, type TaskContext } from '../invocation.ts'
import type { LogsFlags } from './command.ts'

/** Prints a log, and with `--follow` what comes, until Ctrl-C or the router's end. */
export const logs = async (
  model: string | undefined,
  flags: LogsFlags & OutputFlags,
  context: TaskContext,
): Promise<Outcome> => {
  const router = await connect(flags, context)
  const { stdout } = context.io
  const accept = flags.json === true ? 'application/x-ndjson' : 'text/plain'
  // What engines print must not steer a terminal; JSON has no control characters
  const safe = flags.json === true ? (text: string): string => text : plain
  try {
    for await (const text of router.stream({ path: pathOf(model, flags), accept })) {
      if (!(await write(stdout, safe(text)))) return { data: {}, text: '', exitCode: 0 }
    }
  } catch (error) {
    if (flags.follow === true && context.signal.aborted) return INTERRUPTED
    throw error
  }
  if (flags.follow === true) context.say('The router ended the stream.')
  return { data: {}, text: '', exitCode: 0 }
}

const pathOf = (model: string | undefined, { follow, tail }: LogsFlags): string => {
  const query = new URLSearchParams({ tail: String(tail) })
  if (follow === true) {
    return `/logs/stream${model === undefined ? '' : `/${modelPath(model)}`}?${query.toString()}`
  }
  if (model !== undefined) query.set('model', model)
  return `/logs?${query.toString()}`
}
