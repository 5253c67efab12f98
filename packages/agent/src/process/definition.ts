import { processIdentity } from '@lswap/core'
import type { ModelConfig } from '@lswap/core'
import type { EngineContext } from './engine.ts'
import { createExitGuard } from './exit-guard.ts'
import { createSlotMemory } from './slots.ts'
import type { RecallSlots } from './slots.ts'

/** What a process is started from. A process keeps the one that it was started from to its end. */
export interface Definition {
  readonly context: EngineContext
  readonly recallSlots: RecallSlots
}

export const defined = (context: EngineContext): Definition => ({ context, recallSlots: createSlotMemory() })

/**
 * The definition for later starts. Where it describes the process that may run already too, that one takes over how it is
 * stopped; a process of another kind is stopped as it was to be when it was started: by the `cmdStop` that knows its name.
 */
export const redefined = (definition: Definition, model: ModelConfig): Definition => {
  const { context } = definition
  const isSameProcess = processIdentity(context.model) === processIdentity(model)
  const isGuardedAlike =
    context.model.onAgentExit === model.onAgentExit && hasCommand(context.model) === hasCommand(model)
  const guard = isSameProcess && isGuardedAlike ? context.guard : createExitGuard(model, context.log)
  if (!isSameProcess) return defined({ ...context, model, guard })
  Object.assign(context, { model, guard })
  return definition
}

const hasCommand = ({ cmdStop }: ModelConfig): boolean => cmdStop !== undefined
