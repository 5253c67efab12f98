import { modelId } from '@lswap/core'
import type { ProcessState } from '@lswap/core/protocol'
import type { ProcessView } from '../agent.ts'
import type { Epochs } from './epochs.ts'

/** A process of the agent, as the router knows it. */
export const viewOf = (state: ProcessState, epochs: Epochs): ProcessView => ({
  model: modelId(state.model),
  phase: state.phase,
  epoch: state.epoch === null ? undefined : epochs.ours(state.epoch),
  pid: state.pid ?? undefined,
  slots: state.slots ?? undefined,
  url: state.url ?? undefined,
  since: state.since,
  memoryBytes: state.memoryBytes ?? undefined,
  lastExit:
    state.lastExit === null
      ? undefined
      : {
          code: state.lastExit.code ?? undefined,
          signal: state.lastExit.signal ?? undefined,
          reason: state.lastExit.reason,
          lastLines: state.lastExit.lastLines,
        },
})
