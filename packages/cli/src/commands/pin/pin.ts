import { isRecord, optionalText } from '../../client/fields.ts'
import { connect, modelPath, QUICK_MS } from '../../client/router-client.ts'
import { plainLine } from '../../print/plain.ts'
import type { RouterFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'

/** Pins a model, or lets it go again. */
export const pin = async (
  model: string,
  { flags, pinned }: { readonly flags: RouterFlags; readonly pinned: boolean },
  context: TaskContext,
): Promise<Outcome> => {
  const router = await connect(flags, context)
  const path = `/api/models/${pinned ? 'pin' : 'unpin'}/${modelPath(model)}`
  const { body } = await router.ask({ method: 'POST', path, deadlineMs: QUICK_MS })
  const answer = isRecord(body) ? body : {}
  const id = plainLine(optionalText(answer, 'model') ?? model)
  const state = optionalText(answer, 'state')
  const isThere = state === 'ready' || state === 'loading'
  const hint = pinned && !isThere ? `; it is not loaded: \`lswap load ${id}\` or its first request loads it` : ''
  return {
    data: { model: id, pinned, state: state ?? null },
    text: `${id} is ${pinned ? '' : 'not '}pinned${pinned ? '' : ' any more'}${hint}\n`,
    exitCode: 0,
  }
}
