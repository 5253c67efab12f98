import type { ModelConfig } from '@lswap/core'
import { askEngine } from './ask-engine.ts'
import type { Logger } from '../logs/logger.ts'
import type { EngineTarget } from './target.ts'

/** An engine that is ready answers at once. */
const LIMIT_MS = 5_000
const PATH = '/lora-adapters'

/** Numbers of the adapters that act on no request but those that ask for them. */
export const adaptersToSwitchOff = ({ adapters = [] }: Pick<ModelConfig, 'adapters'>): readonly number[] => [
  ...new Set(adapters.flatMap((adapter) => ('id' in adapter && adapter.startsOff === true ? adapter.id : []))),
]

/**
 * Switches adapters off in a llama-server. Its `--lora-init-without-apply` does not: a request that names none is given all of
 * them at full scale. Those that it has besides keep their scale. Returns what went wrong, for people; undefined: nothing.
 */
export const switchOffAdapters = async (
  target: EngineTarget,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<string | undefined> => {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
    const known = scalesIn(await ask(target, limited))
    const scales = known.map(({ id, scale }) => ({ id, scale: ids.includes(id) ? 0 : scale }))
    if (scales.length === 0) return `${PATH} lists none`
    await ask(target, limited, scales)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whoever asks for the model itself gets it without its adapters. */
export const setUpAdapters = async (
  target: EngineTarget,
  { model, log }: { readonly model: ModelConfig; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> => {
  const ids = adaptersToSwitchOff(model)
  if (ids.length === 0) return
  const problem = await switchOffAdapters(target, ids, signal)
  if (problem === undefined || signal.aborted) return
  log.warn({ model: model.id, problem }, 'its adapters could not be switched off: they act on all of its requests')
}

const scalesIn = (json: string): readonly { readonly id: number; readonly scale: number }[] => {
  const list: unknown = JSON.parse(json)
  if (!Array.isArray(list)) return []
  return list.flatMap((one: { id?: unknown; scale?: unknown } | null) =>
    typeof one?.id === 'number' && typeof one.scale === 'number' ? [{ id: one.id, scale: one.scale }] : [],
  )
}

const ask = async (target: EngineTarget, signal: AbortSignal, body?: unknown): Promise<string> => {
  const reply = await askEngine(target, { path: PATH, body, signal })
  if (reply.status === 200) return reply.text
  throw new Error(`${body === undefined ? 'GET' : 'POST'} ${PATH} was answered with ${reply.status}`)
}
