import { join } from 'node:path'
import { LswapError } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import { takeAgentLock } from './agent-lock.ts'
import { NO_PEAKS, openPeaksFile, type PeaksFile } from './peaks-file.ts'
import { readBootId } from './process-identity.ts'
import { NO_RUN_FILES, openRunFiles } from './run-files.ts'
import type { RunFiles, RunRecord } from './run-files.ts'
import { openSlotFolder, type SlotFolder } from '../slot-files/folder.ts'
import { makePrivateDir } from './state-dir.ts'
import { sweepSurvivors } from './sweep.ts'

/** What an agent keeps on disk while it runs. */
export interface AgentState {
  readonly bootId: string
  readonly runs: RunFiles
  /** Children of an earlier agent that were to outlive it, and do. */
  readonly kept: readonly RunRecord[]
  readonly peaks: PeaksFile
  /** Where engines save conversations; undefined: nowhere. */
  readonly slots?: SlotFolder
  /** Lets the next agent in. */
  release(): Promise<void>
}

/**
 * Claims the state directory and ends what an earlier agent left behind. Throws `state_in_use`; a directory that can
 * not be written costs only the protection against crashes of the agent, so serving goes on without it.
 */
export const openAgentState = async (stateDir: string, log: Logger): Promise<AgentState> => {
  const bootId = await readBootId()
  try {
    await makePrivateDir(stateDir)
    const lock = await takeAgentLock(stateDir, bootId)
    const runs = await openRunFiles(stateDir, log)
    const kept = await sweepSurvivors({ runs, bootId, log })
    const peaks = openPeaksFile(stateDir, log)
    const slots = openSlotFolder(join(stateDir, 'slots'))
    return { bootId, runs, kept, peaks, slots, release: () => lock.release() }
  } catch (error) {
    if (error instanceof LswapError) throw error
    log.warn({ err: error, stateDir }, 'the state directory can not be used; a crash of the agent may leave processes')
    return { bootId, runs: NO_RUN_FILES, kept: [], peaks: NO_PEAKS, release: async () => {} }
  }
}
