import type { ErrorCode } from '../errors/table.ts'
import type { ModelId } from '../ids.ts'
import type { Band } from '../schedule/request.ts'
import type { SchedulerStats } from '../schedule/scheduler.ts'
import type { LoadCount } from './agents.ts'
import type { Ledger } from './ledger.ts'
import type { PromptResult } from './prompts.ts'
import type { Trace } from './trace/trace.ts'
import type { WaitSummary } from './waits.ts'

export interface ModelResult {
  readonly model: string
  /** Requests that were granted it. */
  readonly served: number
  readonly loads: number
  /** Loads that served nobody. */
  readonly wastedLoads: number
}

/** What came of a simulation; times in milliseconds on the trace's clock. */
export interface SimulationResult {
  readonly requests: number
  readonly served: number
  /** Served requests that were cut at the drain limit. */
  readonly cut: number
  readonly rejections: Readonly<Partial<Record<ErrorCode, number>>>
  readonly swaps: number
  /** Loads that served nobody, because they were given up or evicted again. */
  readonly wastedLoads: number
  /** Between the first arrival and the end of the last request. */
  readonly makespanMs: number
  /** How long in the makespan a host served, loaded and stopped nothing, added up over hosts. */
  readonly idleMs: number
  /** From arrival to grant. */
  readonly waits: Readonly<Record<Band, WaitSummary>>
  /** Jain's index over callers of the share of a caller's time in which it was being served: 1 when all fare alike. */
  readonly jainFairness: number
  readonly agingReorders: number
  readonly affinityReorders: number
  readonly models: readonly ModelResult[]
  /** Requests that were granted on each host. */
  readonly servedByHost: Readonly<Record<string, number>>
  /** Only of a trace that has prompts. */
  readonly prompts?: PromptResult
}

export interface SummaryParts {
  readonly trace: Trace
  readonly ledger: Ledger
  readonly loads: ReadonlyMap<ModelId, LoadCount>
  readonly stats: SchedulerStats
}

/** What the books tell. */
export const summarise = ({
  trace,
  ledger,
  loads: counts,
  stats,
}: SummaryParts): Omit<SimulationResult, 'swaps' | 'makespanMs' | 'idleMs' | 'servedByHost' | 'prompts'> => {
  const servedByModel = ledger.servedByModel()
  const models = trace.models.map((model, place) => {
    const { loads = 0, useful = 0 } = counts.get(model) ?? {}
    return { model, served: servedByModel[place] as number, loads, wastedLoads: loads - useful }
  })
  return {
    requests: trace.length,
    served: ledger.served,
    cut: ledger.cut,
    rejections: Object.fromEntries(ledger.rejections),
    wastedLoads: models.reduce((sum, { wastedLoads }) => sum + wastedLoads, 0),
    waits: ledger.waits(),
    jainFairness: ledger.jain(),
    agingReorders: stats.agingReorders,
    affinityReorders: stats.affinityReorders,
    models,
  }
}
