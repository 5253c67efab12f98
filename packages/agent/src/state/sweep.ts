import type { Logger } from '../logs/logger.ts'
import { isAlive, processesWithEnvironment, treeOf } from '../process/process-table.ts'
import type { ProcessStamp } from '../process/process-table.ts'
import { isGroupAlive, signalGroup, signalProcess } from '../process/signals.ts'
import { pause } from '../process/wait.ts'
import { startTimeOf } from './process-identity.ts'
import type { RunFiles, RunRecord } from './run-files.ts'

/** In the environment of every child: its run id. Finds what outlived the child that the run file names. */
export const RUN_VARIABLE = 'LSWAP_RUN'

/** From SIGTERM to SIGKILL: nobody waits for an answer of theirs any more. */
const GRACE_MS = 2_000
const KILL_LIMIT_MS = 5_000
const POLL_MS = 10

export interface SweepOptions {
  readonly runs: RunFiles
  readonly bootId: string
  readonly log: Logger
}

interface Survivor {
  /** The process of the run file still runs, and with it the group that it leads is certainly ours. */
  readonly leads: boolean
  readonly strays: readonly ProcessStamp[]
}

const survivorOf = async (record: RunRecord, bootId: string): Promise<Survivor> => {
  if (record.bootId !== bootId) return { leads: false, strays: [] }
  const leads = (await startTimeOf(record.pid)) === record.startTime
  const marked = processesWithEnvironment(`${RUN_VARIABLE}=${record.runId}`)
  const below = leads ? treeOf(record.pid).filter(({ group }) => group !== record.pid) : []
  return { leads, strays: [...marked, ...below] }
}

const endSurvivor = async (record: RunRecord, { leads, strays }: Survivor): Promise<boolean> => {
  // Once seen empty the group's number is free for others, so it is never signalled again.
  let ownsGroup = leads
  const isGone = async (): Promise<boolean> => {
    if (ownsGroup && (await startTimeOf(record.pid)) !== record.startTime) ownsGroup = isGroupAlive(record.pid)
    return !ownsGroup && !strays.some(isAlive)
  }
  const signal = (name: NodeJS.Signals): void => {
    if (ownsGroup) signalGroup(record.pid, name)
    for (const stray of strays.filter(isAlive)) signalProcess(stray.pid, name)
  }
  const goneWithin = async (limitMs: number): Promise<boolean> => {
    const began = performance.now()
    while (!(await isGone())) {
      if (performance.now() - began > limitMs) return false
      await pause(POLL_MS)
    }
    return true
  }

  if (record.kindly !== undefined) {
    signal(record.kindly as NodeJS.Signals)
    return goneWithin(GRACE_MS + KILL_LIMIT_MS)
  }
  signal('SIGTERM')
  if (await goneWithin(GRACE_MS)) return true
  signal('SIGKILL')
  return goneWithin(KILL_LIMIT_MS)
}

/** Ends one of them, whatever was wished for it. */
export const sweepOne = async (record: RunRecord, { runs, bootId, log }: SweepOptions): Promise<void> => {
  const { model, pid, port } = record
  const survivor = await survivorOf(record, bootId)
  if (!survivor.leads && survivor.strays.length === 0) return runs.remove(record.runId)
  log.warn({ model, pid, port }, 'ending a process that an earlier agent left behind')
  if (await endSurvivor(record, survivor)) return runs.remove(record.runId)
  log.error({ model, pid, port }, 'the process does not end and keeps its memory')
}

const isKept = async (record: RunRecord, bootId: string): Promise<boolean> =>
  record.onAgentExit === 'keep' && record.bootId === bootId && (await startTimeOf(record.pid)) === record.startTime

/**
 * Ends what earlier agents of this state directory left behind, and returns what was to be kept. Never signals a pid that was
 * given to somebody else.
 */
export const sweepSurvivors = async (options: SweepOptions): Promise<readonly RunRecord[]> => {
  const records = await options.runs.readAll()
  const kept = await Promise.all(
    records.map(async (record) => {
      if (await isKept(record, options.bootId)) return [record]
      await sweepOne(record, options)
      return []
    }),
  )
  return kept.flat()
}
