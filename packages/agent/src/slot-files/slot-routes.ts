import { askEngine, type EngineReply } from '../process/ask-engine.ts'
import type { EngineTarget } from '../process/target.ts'

/** The engine was started without a place for slots, or knows nothing of them. */
export class SlotsUnsupported extends Error {
  override readonly name = 'SlotsUnsupported'
}

/** llama-server's routes for what its slots hold. Each rejects with what the engine said. */
export interface SlotRoutes {
  /** Numbers of the slots that serve nobody now. */
  idle(): Promise<readonly number[]>
  /** How many tokens were saved. */
  save(slot: number, file: string): Promise<number>
  restore(slot: number, file: string): Promise<number>
  erase(slot: number): Promise<void>
  /** Reads a prompt in this slot; how many of its tokens the slot held already. */
  read(slot: number, prompt: string): Promise<number>
  props(): Promise<EngineProps>
}

export interface EngineProps {
  readonly slots: number
  readonly modelPath: string | undefined
  readonly build: string | undefined
}

/** As far as the question is understood and answered within the signal's time. */
export const slotRoutes = (target: EngineTarget, signal: AbortSignal): SlotRoutes => {
  const ask = async (path: string, body?: unknown): Promise<Fields> =>
    fieldsOf(path, await askEngine(target, { path, body, signal }))
  const act = (slot: number, action: string, file?: string): Promise<Fields> =>
    ask(`/slots/${slot}?action=${action}`, file === undefined ? {} : { filename: file })
  const props = async (): Promise<EngineProps> => {
    const told = await ask('/props')
    return {
      slots: numberOf(told['total_slots']),
      modelPath: textOf(told['model_path']),
      build: textOf(told['build_info']),
    }
  }
  return {
    props,
    async idle() {
      const reply = await askEngine(target, { path: '/slots', signal })
      // It can be switched off (--no-slots); then they are tried one by one, and after a drain none is busy.
      if (reply.status !== 200) return Array.from({ length: (await props()).slots }, (_, slot) => slot)
      const list: unknown = JSON.parse(reply.text)
      return Array.isArray(list) ? list.flatMap(idleSlot) : []
    },
    save: async (slot, file) => numberOf((await act(slot, 'save', file))['n_saved']),
    restore: async (slot, file) => numberOf((await act(slot, 'restore', file))['n_restored']),
    async erase(slot) {
      await act(slot, 'erase')
    },
    async read(slot, prompt) {
      const { timings } = await ask('/completion', { prompt, n_predict: 1, id_slot: slot, cache_prompt: true })
      return numberOf((timings as Fields | undefined)?.['cache_n'])
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (path: string, { status, text }: EngineReply): Fields => {
  if (status === 501 || status === 404) throw new SlotsUnsupported(`${path} was answered with ${status}`)
  if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text.slice(0, 200)}`)
  const told: unknown = JSON.parse(text)
  if (typeof told !== 'object' || told === null) throw new Error(`${path} was answered with no object`)
  return told as Fields
}

const idleSlot = (slot: { readonly id?: unknown; readonly is_processing?: unknown } | null): readonly number[] =>
  typeof slot?.id === 'number' && slot.is_processing !== true ? [slot.id] : []

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
