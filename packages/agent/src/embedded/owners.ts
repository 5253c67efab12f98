import { epoch as epochOf } from '@lswap/core'
import type { Epoch, Failure, HostId, ModelConfig, ModelId } from '@lswap/core'
import type { AgentEvent } from '../agent.ts'
import type { Logger } from '../logs/logger.ts'
import { createModelLog } from '../logs/model-log.ts'
import type { ModelLog } from '../logs/model-log.ts'
import type { OpenConnections } from '../process/engine-connections.ts'
import { createExitGuard } from '../process/exit-guard.ts'
import { createProcessOwner } from '../process/owner.ts'
import type { ProcessOwner } from '../process/owner.ts'
import { createPortBook } from '../process/port-book.ts'
import type { AgentState } from '../state/agent-state.ts'

export interface OwnersOptions {
  readonly host: HostId
  readonly models: readonly ModelConfig[]
  readonly state: AgentState
  readonly log: Logger
  readonly openConnections: OpenConnections
  readonly onEvent: (event: AgentEvent) => void
}

/** One owner and one log for each model. */
export interface Owners {
  readonly owners: ReadonlyMap<ModelId, ProcessOwner>
  readonly logs: ReadonlyMap<ModelId, ModelLog>
}

export const createOwners = ({ host, models, state, log, openConnections, onEvent }: OwnersOptions): Owners => {
  const ports = createPortBook(new Set(models.map(({ port }) => port)))
  const logs = new Map<ModelId, ModelLog>()
  const owners = new Map<ModelId, ProcessOwner>()
  let starts = 0
  const nextEpoch = (): Epoch => {
    starts += 1
    return epochOf(starts)
  }

  for (const model of models) {
    const output = createModelLog()
    const guard = createExitGuard(model, log)
    const placement = { host, model: model.id }
    const onExited = (epoch: Epoch, failure: Failure): void =>
      onEvent({ type: 'process-exited', placement, epoch, failure })
    const context = { model, log, output, guard, ports, state, openConnections }
    logs.set(model.id, output)
    owners.set(model.id, createProcessOwner(context, { nextEpoch, onExited }))
  }
  return { owners, logs }
}
