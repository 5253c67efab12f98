import { chat } from '../chat.ts'
import type { Ended } from '../command.ts'
import { until } from '../until.ts'
import { enginePid, hear, phaseOf, told, type Heard, type Stage } from './stage.ts'

/** What hangs on a phase that was reached. */
export interface Reached {
  /** An answer that had begun. */
  readonly stream?: Promise<Heard>
  /** A request without a byte. */
  readonly waiting?: Promise<Heard>
  /** A command that somebody waits for. */
  readonly command?: Promise<Ended>
  /** The engine that the phase is about; undefined: there is none. */
  readonly engine: number | undefined
}

/** Brings a machine to one phase of a swap from one model to the other, where it stays until something happens. */
type Reach = (stage: Stage, models: { readonly old: string; readonly next: string }) => Promise<Reached>

export const PHASES = [
  'draining',
  'stopping',
  'waiting for memory',
  'starting',
  'loading',
  'ready',
  'streaming',
  'unloading',
] as const
export type Phase = (typeof PHASES)[number]

/** Nothing ends by itself before the limit of a test. */
const ENDLESS = '--tokens 100000 --tps 20'
/** Until it is killed, after its unloadTimeout. */
const SLOW_END = '--unguarded --ignore-sigterm'

export const oldOf = (phase: Phase): string => `${phase.replaceAll(' ', '-')}-old`
export const nextOf = (phase: Phase): string => `${phase.replaceAll(' ', '-')}-next`

const ask = (stage: Stage, model: string): Promise<Heard> => hear(chat(stage.router().url, model))

const streaming = async (stage: Stage, model: string): Promise<Promise<Heard>[]> => {
  await stage.host.bench.behave(model, ENDLESS)
  const answer = await chat(stage.router().url, model, { stream: true, maxTokens: 100_000 })
  await stage.host.bench.behave(model, '')
  // In a list: an async function would wait for it
  return [hear(Promise.resolve(answer))]
}

const loaded = async (stage: Stage, model: string, switches = ''): Promise<void> => {
  await stage.host.bench.behave(model, switches)
  await ask(stage, model)
  await stage.host.bench.behave(model, '')
}

const isIn = ({ host }: Stage, model: string, phase: string): Promise<true> =>
  until(`${model} is ${phase}`, async () => ((await phaseOf(host, model)) === phase ? true : undefined))

const begun = (stage: Stage, model: string): Promise<number> =>
  until(`${model} has a process`, () => enginePid(stage.host, model))

/** Its switches count for this start only. */
const beginning = async (stage: Stage, model: string, switches: string) => {
  await stage.host.bench.behave(model, switches)
  const waiting = ask(stage, model)
  await stage.host.journal.saw('its start', (line) => line.event === 'start' && line.model === model)
  await isIn(stage, model, 'starting')
  await stage.host.bench.behave(model, '')
  return { waiting, engine: await begun(stage, model) }
}

export const REACH: Readonly<Record<Phase, Reach>> = {
  draining: async (stage, { old, next }) => {
    const [stream] = await streaming(stage, old)
    const waiting = ask(stage, next)
    await until('somebody waits', async () =>
      (await told(stage.router())).some(({ model, waiting: count }) => model === next && count === 1)
        ? true
        : undefined,
    )
    return { ...(stream === undefined ? {} : { stream }), waiting, engine: await enginePid(stage.host, old) }
  },
  stopping: async (stage, { old, next }) => {
    await loaded(stage, old, SLOW_END)
    const waiting = ask(stage, next)
    await isIn(stage, old, 'stopping')
    return { waiting, engine: await enginePid(stage.host, old) }
  },
  'waiting for memory': async (stage, { old, next }) => {
    await loaded(stage, old)
    await stage.takenMiB(20_000)
    const waiting = ask(stage, next)
    await isIn(stage, old, 'stopped')
    const before = await stage.looks()
    await until('memory is looked for', async () => ((await stage.looks()) > before ? true : undefined))
    return { waiting, engine: await enginePid(stage.host, next) }
  },
  starting: async (stage, { next }) => beginning(stage, next, '--no-listen --load-ms 100000'),
  loading: async (stage, { next }) => beginning(stage, next, '--load-ms 100000'),
  ready: async (stage, { old }) => {
    await loaded(stage, old)
    return { engine: await enginePid(stage.host, old) }
  },
  streaming: async (stage, { old }) => {
    const [stream] = await streaming(stage, old)
    return { ...(stream === undefined ? {} : { stream }), engine: await enginePid(stage.host, old) }
  },
  unloading: async (stage, { old }) => {
    await loaded(stage, old, SLOW_END)
    const command = stage.rig.lswap(stage.router(), 'unload', old)
    await isIn(stage, old, 'stopping')
    return { command, engine: await enginePid(stage.host, old) }
  },
}
