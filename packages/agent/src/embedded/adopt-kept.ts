import type { ModelId } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { ProcessOwner } from '../process/owner.ts'
import type { AgentState } from '../state/agent-state.ts'
import type { RunRecord } from '../state/run-files.ts'
import { sweepOne } from '../state/sweep.ts'

export interface AdoptKeptOptions {
  readonly state: Pick<AgentState, 'kept' | 'runs' | 'bootId'>
  readonly owners: ReadonlyMap<ModelId, Pick<ProcessOwner, 'adopt' | 'isStopped'>>
  readonly log: Logger
}

/**
 * Takes over what an earlier agent left running on purpose. What nobody can use any more is ended: it would keep its
 * memory, and nothing would ever stop it.
 */
export const adoptKept = async ({ state, owners, log }: AdoptKeptOptions): Promise<void> => {
  const takeOver = async (record: RunRecord): Promise<string | undefined> => {
    const owner = owners.get(record.model as ModelId)
    if (owner === undefined) return 'there is no such model any more'
    return owner.isStopped() ? owner.adopt(record) : 'another process of the model was taken over'
  }
  const settle = async (records: readonly RunRecord[]): Promise<void> => {
    for (const record of records) {
      const { model, pid, port } = record
      const reason = await takeOver(record)
      if (reason === undefined) continue
      log.warn({ model, pid, port, reason }, `a process that was to outlive its agent is not taken over: ${reason}`)
      await sweepOne(record, { ...state, log })
    }
  }
  // Those of one model one after another, so that it gets at most one.
  const models = new Set(state.kept.map(({ model }) => model))
  await Promise.all([...models].map((id) => settle(state.kept.filter(({ model }) => model === id))))
}
