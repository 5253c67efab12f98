import {
  DEFAULT_FIFO,
  fleetOf,
  optionsFor,
  readTrace,
  simulate,
  type FleetSettings,
  type ModelPolicy,
  type OptionsParts,
  type SchedulerLimits,
  type SimulationResult,
  type TraceRow,
} from '../../src/index.ts'

export type Row = Partial<TraceRow> & Pick<TraceRow, 'at' | 'model'>

/** A load takes 1,000 ms, a stop 100, a token 10, with one slot, where a test does not say otherwise. */
const FLEET: FleetSettings = { loadMs: 1_000, stopMs: 100, msPerToken: 10, slots: 1 }

export interface Setting extends Partial<OptionsParts> {
  readonly fleet?: FleetSettings
  readonly limits?: Partial<SchedulerLimits>
  readonly perModel?: Partial<ModelPolicy>
}

export const setUp = (rows: readonly Row[], setting: Setting = {}) => {
  const text = [{ kind: 'recorded' }, ...rows].map((line) => JSON.stringify(line)).join('\n')
  const trace = readTrace(text)
  const fleet = fleetOf({ ...FLEET, ...setting.fleet })
  const { policy = DEFAULT_FIFO, swapper, perModel = {} } = setting
  const made = optionsFor(trace, fleet, { policy, ...(swapper === undefined ? {} : { swapper }) })
  const limits = { ...made.limits, ...setting.limits }
  const options = { ...made, limits, models: made.models.map((model) => Object.assign({}, model, perModel)) }
  return { trace, fleet, options }
}

export const play = (rows: readonly Row[], setting?: Setting): SimulationResult => {
  const { trace, fleet, options } = setUp(rows, setting)
  return simulate(trace, fleet, options)
}

export const normal = (result: SimulationResult) => result.waits.normal
