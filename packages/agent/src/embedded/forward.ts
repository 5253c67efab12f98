import type { Epoch, Failure, ModelId } from '@lswap/core'
import type { ForwardFailure, ForwardHandler, ForwardHead, Forwarding, ForwardRequest } from '../forward/exchange.ts'
import type { ProcessOwner } from '../process/owner.ts'

/** Failures that a crash of the engine also causes, before its exit is known. */
const isConnectionLoss = ({ code }: Failure): boolean => code === 'upstream_died' || code === 'upstream_unreachable'

const noLongerRuns = (model: ModelId): Failure => ({
  code: 'upstream_unreachable',
  message: `the process of ${model} that was to answer is not ready any more`,
})

/** Both ends of one request: what its sender holds, and what its engine's connection tells. One object, since one is made for each request. */
class PatientForwarding implements ForwardHandler, Forwarding {
  /** Undefined: there is nothing to send it on. */
  forwarding: Forwarding | undefined
  /** The client is gone: nothing more is told. */
  private left = false
  private readonly owner: ProcessOwner | undefined
  private readonly epoch: Epoch
  private readonly handler: ForwardHandler

  constructor(owner: ProcessOwner | undefined, epoch: Epoch, handler: ForwardHandler) {
    this.owner = owner
    this.epoch = epoch
    this.handler = handler
  }

  abort(): void {
    this.left = true
    this.forwarding?.abort()
  }

  resume(): void {
    this.forwarding?.resume()
  }

  write(chunk: Uint8Array): boolean {
    return this.forwarding?.write(chunk) ?? true
  }

  end(): void {
    this.forwarding?.end()
  }

  onInformation(status: number, headers: readonly string[]): void {
    this.handler.onInformation?.(status, headers)
  }

  onUpgrade(head: ForwardHead): void {
    this.handler.onUpgrade?.(head)
  }

  onDrain(): void {
    this.handler.onDrain?.()
  }

  onHead(head: ForwardHead): void {
    this.handler.onHead(head)
  }

  onData(chunk: Buffer): boolean {
    return this.handler.onData(chunk)
  }

  onEnd(trailers: readonly string[]): void {
    this.handler.onEnd(trailers)
  }

  onError(failed: ForwardFailure): void {
    void this.fail(failed)
  }

  private async fail(failed: ForwardFailure): Promise<void> {
    const crash = isConnectionLoss(failed.failure) ? await this.owner?.fateOf(this.epoch) : undefined
    if (this.left) return
    const failure = crash === undefined ? failed.failure : { ...crash, code: failed.failure.code }
    this.handler.onError({ ...failed, failure })
  }
}

/**
 * Sends a request to one start of a model's process. A connection that breaks because the engine died is told only
 * after the agent's event about it: whoever tries the request again already knows that this process is gone.
 */
export const forwardTo = (
  owner: ProcessOwner | undefined,
  { model, epoch }: { readonly model: ModelId; readonly epoch: Epoch },
  { request, handler }: { readonly request: ForwardRequest; readonly handler: ForwardHandler },
): Forwarding => {
  const patient = new PatientForwarding(owner, epoch, handler)
  const connections = owner?.connections(epoch)
  // Later, as everything else: the handler may not be ready while its request is still being sent.
  if (connections === undefined)
    process.nextTick(() => patient.onError({ failure: noLongerRuns(model), answered: false }))
  else patient.forwarding = connections.forward(request, patient)
  return patient
}
