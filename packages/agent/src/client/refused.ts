import type { Failure, ModelId } from '@lswap/core'
import type { ForwardHandler, Forwarding } from '../forward/exchange.ts'

/** Never from inside the call, as every answer. */
export const refused = (handler: ForwardHandler, failure: Failure): Forwarding => {
  let isGone = false
  process.nextTick(() => {
    if (!isGone) handler.onError({ failure, answered: false })
  })
  return {
    abort: () => {
      isGone = true
    },
    resume: () => {},
    write: () => true,
    end: () => {},
  }
}

/** Of an earlier start of the agent. */
export const gone = (model: ModelId): Failure => ({
  code: 'upstream_unreachable',
  message: `the agent was restarted since: the process of ${model} that was to answer is gone`,
})

export const RESTARTED: Failure = { code: 'host_unreachable', message: 'the agent was restarted' }
