import type { Epoch, Failure, HostId, ModelId, Redact } from '@lswap/core'
import type { AgentEvent, ProcessView } from '../agent.ts'
import { redactedFailure } from '../redact/told.ts'

/** Which processes are known to have ended: events and answers come on different connections, in any order. */
export interface Exits {
  tell(model: ModelId, epoch: Epoch, failure: Failure): void
  /** A swap says that it is ready. If its end was told before, it is told again behind that. */
  ready(model: ModelId, epoch: Epoch): void
  isGone(view: ProcessView): boolean
}

export interface ExitsOptions {
  readonly host: HostId
  readonly emit: (event: AgentEvent) => void
  readonly redact: Redact
}

export const createExits = ({ host, emit, redact }: ExitsOptions): Exits => {
  // Starts are numbered upwards: one is enough for each model
  const last = new Map<ModelId, { readonly epoch: Epoch; readonly failure: Failure }>()
  const tell = (model: ModelId, epoch: Epoch, failure: Failure): void =>
    emit({ type: 'process-exited', placement: { host, model }, epoch, failure })
  return {
    tell: (model, epoch, told) => {
      const failure = redactedFailure(told, redact)
      last.set(model, { epoch, failure })
      tell(model, epoch, failure)
    },
    ready: (model, epoch) => {
      const exit = last.get(model)
      if (exit?.epoch === epoch) setImmediate(() => tell(model, epoch, exit.failure))
    },
    isGone: ({ model, epoch }) => epoch !== undefined && epoch <= (last.get(model)?.epoch ?? 0),
  }
}
