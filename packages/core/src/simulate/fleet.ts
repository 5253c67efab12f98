import * as z from 'zod'
import { LOCAL_HOST, type HostId, type ModelId } from '../ids.ts'

// The model of hosts: what an engine there needs for a load, a stop and a token.

export interface EngineTimes {
  readonly loadMs: number
  readonly stopMs: number
  /** A request with a slot to itself; requests side by side do not slow each other down. */
  readonly msPerToken: number
  /** What it serves at once, as the engine reports it. */
  readonly slots: number
}

export interface SimulatedHost {
  readonly id: HostId
  readonly engine: EngineTimes
  /** Models that differ from `engine`. */
  readonly models: ReadonlyMap<ModelId, EngineTimes>
}

export interface Fleet {
  readonly hosts: readonly SimulatedHost[]
}

/** An 8B model from a fast disk, four slots at 50 tokens a second each. */
const DEFAULT_ENGINE: EngineTimes = { loadMs: 8_000, stopMs: 500, msPerToken: 20, slots: 4 }

const times = {
  loadMs: z.number().min(0).max(86_400_000),
  stopMs: z.number().min(0).max(86_400_000),
  msPerToken: z.number().min(0).max(1_000_000),
  slots: z.int().min(1).max(100_000),
}
const someTimes = z.strictObject(times).partial()

/** The fleet as a trace's first line describes it: what is left out is {@link DEFAULT_ENGINE}'s. */
export const fleetSchema = z.strictObject({
  ...someTimes.shape,
  models: z.record(z.string().min(1), someTimes).optional(),
})

export type FleetSettings = z.output<typeof fleetSchema>
type SomeTimes = z.output<typeof someTimes>

const merge = (base: EngineTimes, { loadMs, stopMs, msPerToken, slots }: SomeTimes): EngineTimes => ({
  loadMs: loadMs ?? base.loadMs,
  stopMs: stopMs ?? base.stopMs,
  msPerToken: msPerToken ?? base.msPerToken,
  slots: slots ?? base.slots,
})

/** Hosts that are all alike. */
export const fleetOf = (settings: FleetSettings = {}, hosts: readonly HostId[] = [LOCAL_HOST]): Fleet => {
  const engine = merge(DEFAULT_ENGINE, settings)
  const models = new Map(
    Object.entries(settings.models ?? {}).map(([model, given]) => [model as ModelId, merge(engine, given)]),
  )
  return { hosts: hosts.map((id) => ({ id, engine, models })) }
}

export const timesOf = (host: SimulatedHost, model: ModelId): EngineTimes => host.models.get(model) ?? host.engine
