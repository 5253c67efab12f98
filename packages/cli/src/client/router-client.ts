import { Agent } from 'undici'
import type { TaskContext } from '../commands/invocation.ts'
import type { RouterFlags } from '../commands/flags.ts'
import { type Answer, type Call, exchange } from './call.ts'
import { targetOf } from './target.ts'

/** A connection to the control routes of a router. */
export interface RouterClient {
  readonly url: string
  ask(call: Call): Promise<Answer>
}

/** A router on the same machine accepts at once; this is for far ones. */
const CONNECT_TIMEOUT_MS = 5_000

/** For answers that need no waiting on the router's side. */
export const QUICK_MS = 10_000

/** Opens a client for the time of `work`; what `work` left unanswered is dropped. */
export const withRouter = async <Result>(
  flags: RouterFlags,
  context: Pick<TaskContext, 'io' | 'signal'>,
  work: (router: RouterClient) => Promise<Result>,
): Promise<Result> => {
  const target = await targetOf(flags, context.io)
  // Deadlines are per call (call.ts), so the library's own are off
  const dispatcher = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: 0 })
  try {
    return await work({
      url: target.url,
      ask: (call) => exchange(call, { target, dispatcher, signal: context.signal }),
    })
  } finally {
    await dispatcher.destroy()
  }
}

/** A model id as part of a path: it may hold slashes, and dots that must not climb. */
export const modelPath = (model: string): string =>
  model
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/')
