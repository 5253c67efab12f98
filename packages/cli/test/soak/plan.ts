import { createRandom, type Random } from '../router/hostile/support/random.ts'

/** One thing that somebody does, or that goes wrong. */
export type Operation =
  | {
      readonly type: 'ask'
      readonly model: string
      readonly stream: boolean
      readonly tokens: number
      /** The client leaves after so many milliseconds. */
      readonly leaveMs?: number
    }
  /** Many at once, to several models: swaps under load. */
  | { readonly type: 'burst'; readonly models: readonly string[] }
  | { readonly type: 'load' | 'unload' | 'pin' | 'unpin'; readonly model: string }
  | { readonly type: 'unload-all' }
  | { readonly type: 'reload-router' | 'kill-router' | 'end-router' }
  /** Its model is started otherwise from then on. */
  | { readonly type: 'reload-agent'; readonly host: string; readonly model: string }
  | { readonly type: 'kill-agent' | 'end-agent'; readonly host: string }
  | { readonly type: 'pause-agent'; readonly host: string; readonly ms: number }
  | { readonly type: 'kill-engine'; readonly host: string; readonly model: string }
  | { readonly type: 'pause-engine'; readonly host: string; readonly model: string; readonly ms: number }
  /** The engine's next start goes wrong in this way. */
  | { readonly type: 'spoil'; readonly host: string; readonly model: string; readonly fault: string }

export interface Step {
  /** After the one before it. */
  readonly waitMs: number
  readonly operation: Operation
}

/** What a seed decides. */
export interface Plan {
  readonly seed: number
  readonly scheduler: 'fifo' | 'serial'
  /** One model at a time on a host; else all that were asked for. */
  readonly exclusive: boolean
  /** Whether the router runs models itself. */
  readonly embedded: boolean
  /** What each machine can run. */
  readonly hosts: Readonly<Record<string, readonly string[]>>
  /** The machine whose engines outlive its agent. */
  readonly keeps: string
  readonly steps: readonly Step[]
}

export const LOCAL = 'local'

const FAULTS = [
  '--crash-at load',
  '--crash-at load --load-ms 150',
  '--crash-at load --oom',
  '--exit-at-ms 250',
  '--ignore-sigterm',
  '--term-ms 300',
  '--crash-after-tokens 2',
  '--load-ms 700',
]
/** Each crash doubles the time until its model may start again: the end waits for the longest. */
const MOST_HARM = 2

/** What the seed decides. The same for whoever repeats it. */
export const planOf = (seed: number, count: number): Plan => {
  const random = createRandom(seed)
  const embedded = random.int(3) === 0
  const exclusive = random.int(2) === 0
  const hosts: Record<string, readonly string[]> = {
    left: ['m0', 'm1', 'm2', 'm3'],
    right: ['m2', 'm3', 'm4', 'm5'],
    ...(embedded ? { [LOCAL]: ['m1', 'm5'] } : { third: ['m0', 'm3', 'm5'] }),
  }
  return {
    seed,
    scheduler: random.pick(['fifo', 'serial']),
    exclusive,
    embedded,
    hosts,
    keeps: random.pick(['left', 'right', 'none']),
    steps: steps(random, { hosts, exclusive }, count),
  }
}

const steps = (random: Random, { hosts, exclusive }: Pick<Plan, 'hosts' | 'exclusive'>, count: number): Step[] => {
  const harm = new Map<string, number>()
  const agents = Object.keys(hosts).filter((host) => host !== LOCAL)
  const models = [...new Set(Object.values(hosts).flat())]
  const model = (): string => random.pick(models)
  const place = () => {
    const host = random.pick(Object.keys(hosts))
    return { host, model: random.pick(hosts[host] ?? []) }
  }
  /** Where an engine may still be harmed; else somebody asks. */
  const harmed = (make: (place: { readonly host: string; readonly model: string }) => Operation): Operation => {
    const { host, model: harmedModel } = place()
    const key = `${host} ${harmedModel}`
    const before = harm.get(key) ?? 0
    if (before >= MOST_HARM) return ask()
    harm.set(key, before + 1)
    return make({ host, model: harmedModel })
  }
  const ask = (): Operation => ({
    type: 'ask',
    model: model(),
    stream: random.int(3) > 0,
    tokens: random.int(6) === 0 ? 60 : 1 + random.int(10),
    ...(random.int(5) === 0 ? { leaveMs: random.int(300) } : {}),
  })

  /** Weight and what is done; together 200. */
  const choices: readonly (readonly [number, () => Operation])[] = [
    [117, ask],
    [6, () => ({ type: 'burst', models: Array.from({ length: 8 }, model) })],
    [16, () => ({ type: 'load', model: model() })],
    [8, () => ({ type: 'unload', model: model() })],
    [1, () => ({ type: 'unload-all' })],
    // A pinned model stays beside others, also where only one may run: who looks for two at once could not tell
    [exclusive ? 0 : 5, () => ({ type: 'pin', model: model() })],
    [7, () => ({ type: 'unpin', model: model() })],
    [5, () => ({ type: 'reload-router' })],
    [3, () => ({ type: 'reload-agent', ...placeOf(agents) })],
    [9, () => harmed((at) => ({ type: 'kill-engine', ...at }))],
    [5, () => ({ type: 'pause-engine', ...place(), ms: 50 + random.int(600) })],
    [9, () => harmed((at) => ({ type: 'spoil', ...at, fault: random.pick(FAULTS) }))],
    [3, () => ({ type: 'kill-agent', host: random.pick(agents) })],
    [1, () => ({ type: 'end-agent', host: random.pick(agents) })],
    [2, () => ({ type: 'pause-agent', host: random.pick(agents), ms: random.int(5) === 0 ? 4_500 : random.int(900) })],
    [2, () => ({ type: 'kill-router' })],
    [1, () => ({ type: 'end-router' })],
  ]
  const placeOf = (ids: readonly string[]) => {
    const host = random.pick(ids)
    return { host, model: random.pick(hosts[host] ?? []) }
  }
  const weights = choices.flatMap(([weight, make]) => Array.from({ length: weight }, () => make))
  // Most come one by one, some all at once
  return Array.from({ length: count }, () => ({
    waitMs: random.int(3) === 0 ? 0 : random.int(50),
    operation: random.pick(weights)(),
  }))
}
