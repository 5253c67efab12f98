import type { Epoch, Failure, ModelId } from '@lswap/core'
import type { ForwardFailure, ForwardHandler, Forwarding, ForwardRequest } from '../forward/exchange.ts'
import type { ProcessOwner } from '../process/owner.ts'

/** Failures that a crash of the engine also causes, before its exit is known. */
const isConnectionLoss = ({ code }: Failure): boolean => code === 'upstream_died' || code === 'upstream_unreachable'

const noLongerRuns = (model: ModelId): Failure => ({
  code: 'upstream_unreachable',
  message: `the process of ${model} that was to answer is not ready any more`,
})

/**
 * Sends a request to one start of a model's process. A connection that breaks because the engine died is told only
 * after the agent's event about it: whoever tries the request again already knows that this process is gone.
 */
export const forwardTo = (
  owner: ProcessOwner | undefined,
  { model, epoch }: { readonly model: ModelId; readonly epoch: Epoch },
  { request, handler }: { readonly request: ForwardRequest; readonly handler: ForwardHandler },
): Forwarding => {
  let left = false
  const fail = async (failed: ForwardFailure): Promise<void> => {
    const crash = isConnectionLoss(failed.failure) ? await owner?.fateOf(epoch) : undefined
    if (left) return
    const failure = crash === undefined ? failed.failure : { ...crash, code: failed.failure.code }
    handler.onError({ ...failed, failure })
  }
  const patient: ForwardHandler = {
    onInformation: (status, headers) => handler.onInformation?.(status, headers),
    onUpgrade: (head) => handler.onUpgrade?.(head),
    onDrain: () => handler.onDrain?.(),
    onHead: (head) => handler.onHead(head),
    onData: (chunk) => handler.onData(chunk),
    onEnd: (trailers) => handler.onEnd(trailers),
    onError: (failed) => void fail(failed),
  }
  const connections = owner?.connections(epoch)
  // Later, as everything else: the handler may not be ready while its request is still being sent.
  if (connections === undefined) process.nextTick(() => void fail({ failure: noLongerRuns(model), answered: false }))
  const forwarding = connections?.forward(request, patient)
  return {
    abort() {
      left = true
      forwarding?.abort()
    },
    resume: () => forwarding?.resume(),
    write: (chunk) => forwarding?.write(chunk) ?? true,
    end: () => forwarding?.end(),
  }
}
