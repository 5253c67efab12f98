import { epoch as epochOf } from '@lswap/core'
import type { Epoch, Failure, HostId, ModelConfig, ModelId, Redact } from '@lswap/core'
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
  readonly redact: Redact
  readonly openConnections: OpenConnections
  readonly onEvent: (event: AgentEvent) => void
  /** A process is gone, however it ended. */
  readonly onGone: () => void
  /** A process is ready. */
  readonly onReady: () => void
}

/** One owner and one log for each model. */
export interface Owners {
  /** Also of models that left the configuration, until their processes are gone. */
  readonly owners: ReadonlyMap<ModelId, ProcessOwner>
  readonly logs: ReadonlyMap<ModelId, ModelLog>
  /** Whether a model may be started. */
  isConfigured(model: ModelId): boolean
  /** Takes over other definitions, models that came and models that went. Stops nothing. */
  reconfigure(models: readonly ModelConfig[]): void
  /** Forgets models that left the configuration and have no process any more. */
  forgetGone(): void
}

export const createOwners = (options: OwnersOptions): Owners => {
  const { host, state, log, redact, openConnections, onEvent, onGone, onReady } = options
  const stable = new Set<number>()
  const ports = createPortBook(stable)
  const logs = new Map<ModelId, ModelLog>()
  const owners = new Map<ModelId, ProcessOwner>()
  let configured: ReadonlySet<ModelId> = new Set()
  const slotFiles = state.slots === undefined ? undefined : { folder: state.slots, verdicts: new Map() }
  let starts = 0
  const nextEpoch = (): Epoch => {
    starts += 1
    return epochOf(starts)
  }

  const add = (model: ModelConfig): void => {
    const output = createModelLog({ redact })
    const guard = createExitGuard(model, log)
    const placement = { host, model: model.id }
    const onExited = (epoch: Epoch, failure: Failure): void =>
      onEvent({ type: 'process-exited', placement, epoch, failure })
    const context = { model, log, output, guard, ports, state, openConnections, slotFiles }
    logs.set(model.id, output)
    owners.set(model.id, createProcessOwner(context, { nextEpoch, onExited, onGone, onReady }))
  }

  const forgetGone = (): void => {
    for (const [model, owner] of owners) {
      if (configured.has(model) || !owner.isStopped()) continue
      owners.delete(model)
      logs.delete(model)
    }
  }

  const reconfigure = (models: readonly ModelConfig[]): void => {
    configured = new Set(models.map(({ id }) => id))
    stable.clear()
    for (const model of models) {
      stable.add(model.port)
      const known = owners.get(model.id)
      if (known === undefined) add(model)
      else known.redefine(model)
    }
    forgetGone()
    const keeping = models.filter(({ saveSlots }) => saveSlots === true)
    state.slots
      ?.keepOnly(keeping.map(({ id }) => id))
      .catch((error: unknown) => log.warn({ err: error }, 'saved slots that nobody needs could not be removed'))
  }

  reconfigure(options.models)
  return { owners, logs, isConfigured: (model) => configured.has(model), reconfigure, forgetGone }
}
