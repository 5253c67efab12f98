import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerResponse } from 'node:http'
import { sendError, sendJson } from './answer.ts'
import { type JsonObject, textIn } from './body.ts'
import type { Engine } from './engine.ts'

/** The tokens that each slot holds from its last prompt. */
export interface SlotCache {
  /** Reads a prompt in a slot; how many of its tokens the slot held already. One is always read again. */
  read(slot: number, tokens: readonly number[]): number
  held(slot: number): readonly number[]
  hold(slot: number, tokens: readonly number[]): void
}

export function createSlotCache(): SlotCache {
  const slots = new Map<number, readonly number[]>()
  const held = (slot: number): readonly number[] => slots.get(slot) ?? []
  return {
    held,
    hold: (slot, tokens) => void slots.set(slot, tokens),
    read(slot, tokens) {
      const before = held(slot)
      slots.set(slot, tokens)
      const differs = tokens.findIndex((token, at) => token !== before[at])
      return Math.max(0, Math.min(differs === -1 ? tokens.length : differs, tokens.length - 1))
    },
  }
}

const FOLDER = process.env['LLAMA_ARG_SLOT_SAVE_PATH']

/** `POST /slots/{slot}?action=…`. */
export function actOnSlot(engine: Engine, request: { url: string; body: JsonObject }, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url, 'http://engine')
  const slot = Number(pathname.split('/')[2])
  const action = searchParams.get('action')
  const folder = engine.options.slotSavePath ?? FOLDER
  if (folder === undefined) {
    const message = 'This server does not support slots action. Start it with `--slot-save-path`'
    return sendError(response, { code: 501, message, type: 'not_supported_error' })
  }
  const filename = textIn(request.body, 'filename')
  const { cache } = engine
  engine.journal({ event: 'slot', slot, action: action ?? '' })
  switch (action) {
    case 'save': {
      const tokens = cache.held(slot)
      writeFileSync(join(folder, filename), JSON.stringify(tokens))
      return sendJson(response, { id_slot: slot, filename, n_saved: tokens.length, n_written: tokens.length })
    }
    case 'restore': {
      const tokens = readTokens(join(folder, filename))
      if (tokens === undefined) {
        const message = 'Unable to restore slot, no available space in KV cache or invalid slot save file'
        return sendError(response, { code: 400, message, type: 'invalid_request_error' })
      }
      cache.hold(slot, engine.options.restoreNothing === true ? [] : tokens)
      return sendJson(response, { id_slot: slot, filename, n_restored: tokens.length, n_read: tokens.length })
    }
    case 'erase': {
      const erased = cache.held(slot).length
      cache.hold(slot, [])
      return sendJson(response, { id_slot: slot, n_erased: erased })
    }
    default:
      return sendError(response, { code: 400, message: 'Invalid action', type: 'invalid_request_error' })
  }
}

function readTokens(path: string): number[] | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as number[]
  } catch {
    return undefined
  }
}
