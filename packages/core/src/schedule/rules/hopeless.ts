import type { Failure } from '../../errors/failure.ts'
import type { ModelPolicy } from '../options.ts'
import type { Turn } from '../turn.ts'

/**
 * Why nobody who waits for a model would ever be served, as far as anybody knows: no host has it, or other routers have taken over all
 * that do. Undefined: it can be, if only when a host comes back.
 */
export const hopeless = ({ state }: Turn, { id, hosts }: ModelPolicy): Failure | undefined => {
  const [first] = hosts
  if (first === undefined)
    return { code: 'model_impossible', message: `no host has the model ${id}`, hint: NOBODY_HAS_IT }
  if (state.taken.size === 0 || !hosts.every((host) => state.taken.has(host))) return undefined
  const { message = '' } = state.taken.get(first) ?? {}
  // Whoever hears of it may find the other router where this one was
  return { code: 'host_unreachable', message: `this router serves ${id} no more: ${first}: ${message}`, hint: TAKEN }
}

const NOBODY_HAS_IT =
  "give it to an agent, in that agent's own file, and send that a SIGHUP; `lswap check --agents` tells what each has"
const TAKEN = 'ask the router that was started last, or stop that and restart this one'
