import type { ModelConfig } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { EngineTarget } from '../process/target.ts'
import { fileNameOf, type SlotFolder, type SlotName } from './folder.ts'
import { whyNotOfUse } from './prove.ts'
import { slotKey } from './slot-key.ts'
import { SlotsUnsupported, slotRoutes, type SlotRoutes } from './slot-routes.ts'

/** What a swap may lose at most to what it keeps, at each end. */
const LIMIT_MS = 5_000

/** Keeps the conversations of one process: they are saved before it ends, and the next one goes on from them. Nothing that fails costs more than the cache. */
export interface SlotKeeper {
  /** Tells a llama-server where to save; other programs take no notice. */
  readonly environment: Readonly<Record<string, string>>
  /** Once it is ready and before it serves anybody. Never rejects. */
  restore(target: EngineTarget, signal: AbortSignal): Promise<void>
  /** Once it serves nobody any more. Never rejects. */
  save(target: EngineTarget, hurry: AbortSignal): Promise<void>
}

/** What was found out about engines by the key of what they compute with, for the life of the agent. */
export type SlotVerdicts = Map<string, 'of use' | 'of no use'>

/** What keepers share: one folder, and what is known of engines. */
export interface SlotFiles {
  readonly folder: SlotFolder
  readonly verdicts: SlotVerdicts
}

export interface KeeperOptions extends SlotFiles {
  readonly model: ModelConfig
  /** The engine's program. */
  readonly program: string
  readonly log: Logger
}

/** Whether a command has a place of its own for slots; a switch wins over the environment. */
export const savesElsewhere = (args: readonly string[]): boolean =>
  args.some((arg) => /^--slot-save-path(?:=|$)/.test(arg))

export const createSlotKeeper = ({ model, program, folder, verdicts, log }: KeeperOptions): SlotKeeper => {
  const { id } = model
  /** Of the process that runs; undefined: it can not be told what it computes with, so nothing of it is kept. */
  let key: string | undefined

  const giveUp = (why: string): void => {
    if (key !== undefined) verdicts.set(key, 'of no use')
    log.warn({ model: id, why }, 'its conversations can not be kept across swaps (saveSlots)')
  }

  /** One step of several that share a limit. */
  const limited = async (what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    const limit = AbortSignal.timeout(LIMIT_MS)
    try {
      await work(AbortSignal.any([signal, limit]))
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof SlotsUnsupported) return giveUp(error.message)
      const why = limit.aborted ? `it took more than ${LIMIT_MS} ms` : String(error)
      log.warn({ model: id, why }, `${what}: some of its conversations are lost`)
    }
  }

  const isOfUse = async (routes: SlotRoutes, own: string, givenUp: AbortSignal): Promise<boolean> => {
    const known = verdicts.get(own)
    if (known !== undefined) return known === 'of use'
    // One that is too slow for the proof would be at every start
    verdicts.set(own, 'of no use')
    try {
      const why = await whyNotOfUse(routes, folder, { model: id, key: own })
      if (why === undefined) verdicts.set(own, 'of use')
      else giveUp(why)
      return why === undefined
    } finally {
      // A start that somebody gave up proves nothing
      if (givenUp.aborted) verdicts.delete(own)
    }
  }

  /** One that is broken or of other weights is refused by the engine, and by every later one. */
  const restoreOne = async (routes: SlotRoutes, name: SlotName, within: AbortSignal): Promise<number> => {
    try {
      return await routes.restore(name.slot, fileNameOf(name))
    } catch (error) {
      if (!within.aborted) await folder.remove(name)
      throw error
    }
  }

  const restoreAll = async (routes: SlotRoutes, within: AbortSignal, givenUp: AbortSignal): Promise<void> => {
    const own = await slotKey(model, program, await routes.props())
    key = own
    const slots = await folder.saved(id, own)
    if (slots.length === 0 || !(await isOfUse(routes, own, givenUp))) return
    const began = performance.now()
    let tokens = 0
    const failures: unknown[] = []
    for (const slot of slots) {
      try {
        tokens += await restoreOne(routes, { model: id, key: own, slot }, within)
      } catch (error) {
        failures.push(error)
      }
    }
    if (tokens > 0) log.info({ model: id, tokens, ms: since(began) }, 'it goes on from the conversations it had')
    if (failures.length > 0) throw failures[0]
  }

  const saveAll = async (routes: SlotRoutes, own: string): Promise<void> => {
    if (!(await folder.hasRoom())) return log.warn({ model: id }, 'the disk is nearly full: its conversations are lost')
    const began = performance.now()
    let [saved, tokens] = [0, 0]
    for (const slot of await routes.idle()) {
      const name = { model: id, key: own, slot }
      let held = 0
      try {
        held = await routes.save(slot, fileNameOf(name))
      } finally {
        // Nothing to keep, or a part of a file.
        if (held === 0) await folder.remove(name)
      }
      if (held > 0) saved += 1
      tokens += held
    }
    if (saved > 0) log.info({ model: id, slots: saved, tokens, ms: since(began) }, 'its conversations are kept')
  }

  return {
    // Without the second, idle conversations of an engine that chose its number of slots are not in their slots.
    environment: { LLAMA_ARG_SLOT_SAVE_PATH: folder.path, LLAMA_ARG_CACHE_IDLE_SLOTS: '0' },
    restore: (target, signal) =>
      limited('a restore failed', signal, (within) => restoreAll(slotRoutes(target, within), within, signal)),
    save: async (target, hurry) => {
      const own = key
      if (own === undefined || hurry.aborted || verdicts.get(own) === 'of no use') return
      await limited('a save failed', hurry, (within) => saveAll(slotRoutes(target, within), own))
    },
  }
}

const since = (began: number): number => Math.round(performance.now() - began)
