import * as z from 'zod'
import { hostId, LOCAL_HOST, type HostId, type ModelId } from '../ids.ts'

// The model of hosts: what an engine there needs for a load, a stop and a token.

export interface EngineTimes {
  readonly loadMs: number
  readonly stopMs: number
  /** A request with a slot to itself; requests side by side do not slow each other down. */
  readonly msPerToken: number
  /** For what it has to read of a prompt, in traces that have prompts. */
  readonly msPerPromptToken: number
  /** How much of prompts and answers it keeps; 64 Ki are 8 GiB of an 8B model. */
  readonly cacheTokens: number
  /** What it serves at once, as the engine reports it. */
  readonly slots: number
}

export interface SimulatedHost {
  readonly id: HostId
  readonly engine: EngineTimes
  /** Models that differ from `engine`. */
  readonly models: ReadonlyMap<ModelId, EngineTimes>
  /** What runs there from the beginning. */
  readonly ready: readonly ModelId[]
}

export interface Fleet {
  readonly hosts: readonly SimulatedHost[]
}

/** An 8B model from a fast disk, four slots at 50 tokens a second each. */
const DEFAULT_ENGINE: EngineTimes = {
  loadMs: 8_000,
  stopMs: 500,
  msPerToken: 20,
  msPerPromptToken: 0,
  cacheTokens: 65_536,
  slots: 4,
}

const times = {
  loadMs: z.number().min(0).max(86_400_000),
  stopMs: z.number().min(0).max(86_400_000),
  msPerToken: z.number().min(0).max(1_000_000),
  msPerPromptToken: z.number().min(0).max(1_000_000),
  cacheTokens: z.int().min(0).max(1_000_000_000),
  slots: z.int().min(1).max(100_000),
}
const someTimes = z.strictObject(times).partial()

/** The fleet as a trace's first line describes it: what is left out is {@link DEFAULT_ENGINE}'s. */
export const fleetSchema = z.strictObject({
  ...someTimes.shape,
  models: z.record(z.string().min(1), someTimes).optional(),
  hosts: z.int().min(1).max(1_000).optional(),
  ready: z.array(z.string().min(1)).optional(),
})

export type FleetSettings = z.output<typeof fleetSchema>
type SomeTimes = z.output<typeof someTimes>

const merge = (
  base: EngineTimes,
  { loadMs, stopMs, msPerToken, msPerPromptToken, cacheTokens, slots }: SomeTimes,
): EngineTimes => ({
  loadMs: loadMs ?? base.loadMs,
  stopMs: stopMs ?? base.stopMs,
  msPerToken: msPerToken ?? base.msPerToken,
  msPerPromptToken: msPerPromptToken ?? base.msPerPromptToken,
  cacheTokens: cacheTokens ?? base.cacheTokens,
  slots: slots ?? base.slots,
})

const hostsUpTo = (count: number): readonly HostId[] =>
  count === 1 ? [LOCAL_HOST] : Array.from({ length: count }, (_, place) => hostId(`h${place + 1}`))

/** Hosts that are all alike. */
export const fleetOf = (
  settings: FleetSettings = {},
  hosts: readonly HostId[] = hostsUpTo(settings.hosts ?? 1),
): Fleet => {
  const engine = merge(DEFAULT_ENGINE, settings)
  const models = new Map(
    Object.entries(settings.models ?? {}).map(([model, given]) => [model as ModelId, merge(engine, given)]),
  )
  const ready = (settings.ready ?? []) as ModelId[]
  return { hosts: hosts.map((id) => ({ id, engine, models, ready })) }
}

export const timesOf = (host: SimulatedHost, model: ModelId): EngineTimes => host.models.get(model) ?? host.engine
