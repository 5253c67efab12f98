import { askRequest } from '../../client/request.ts'
import { connect } from '../../client/router-client.ts'
import { explainedText } from '../../print/explained.ts'
import type { RouterFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'

/** Where the time of one request went. */
export const explain = async (request: string, flags: RouterFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  const told = await askRequest(router, request)
  return { data: told.document, text: explainedText(told, context.style), exitCode: 0 }
}
