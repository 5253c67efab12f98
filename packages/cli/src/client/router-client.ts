import type { TaskContext } from '../commands/invocation.ts'
import type { RouterFlags } from '../commands/flags.ts'
import { type Answer, type Call, exchange, stream, type StreamCall } from './call.ts'
import { targetOf } from './target.ts'

/** A connection to the control routes of a router. */
export interface RouterClient {
  readonly url: string
  ask(call: Call): Promise<Answer>
  stream(call: StreamCall): AsyncGenerator<string, void>
}

/** For answers that need no waiting on the router's side. */
export const QUICK_MS = 10_000

/** Connects to the router that flags and environment name. */
export const connect = async (
  flags: RouterFlags,
  { io, signal }: Pick<TaskContext, 'io' | 'signal'>,
): Promise<RouterClient> => {
  const target = await targetOf(flags, io)
  return {
    url: target.url,
    ask: (call) => exchange(call, { target, signal }),
    stream: (call) => stream(call, { target, signal }),
  }
}

/** A model id as part of a path: it may hold slashes, and dots that must not climb. */
export const modelPath = (model: string): string =>
  model
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/')
