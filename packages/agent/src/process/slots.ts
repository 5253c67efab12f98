import { request } from 'node:http'
import { headersFor } from './target.ts'
import type { EngineTarget } from './target.ts'

/** The question must not delay an engine that has no such route or is slow to answer it. */
const LIMIT_MS = 250
/** `/props` carries the chat template, which may be long. */
const MAX_BODY_BYTES = 4_194_304

const slotsIn = (text: string): number | undefined => {
  try {
    const props: unknown = JSON.parse(text)
    if (typeof props !== 'object' || props === null || !('total_slots' in props)) return undefined
    const slots = props.total_slots
    return typeof slots === 'number' && Number.isInteger(slots) && slots > 0 ? slots : undefined
  } catch {
    return undefined
  }
}

/** How many requests the engine serves at once, when it is one that tells (llama-server's `/props`). */
export const askSlots = (target: EngineTarget, signal?: AbortSignal): Promise<number | undefined> =>
  new Promise((resolve) => {
    const { host, port, basePath } = target
    const asked = request({ host, port, path: `${basePath}/props`, headers: headersFor(target), agent: false })
    const settle = (slots: number | undefined): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(slots)
      asked.destroy()
    }
    const giveUp = (): void => settle(undefined)
    const timer = setTimeout(giveUp, LIMIT_MS)
    signal?.addEventListener('abort', giveUp, { once: true })
    asked.on('error', giveUp)
    asked.on('response', (answer) => {
      if (answer.statusCode !== 200) return settle(undefined)
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MAX_BODY_BYTES) settle(undefined)
        else chunks.push(chunk)
      })
      answer.on('end', () => settle(slotsIn(Buffer.concat(chunks).toString('utf8'))))
      answer.on('error', giveUp)
    })
    asked.end()
  })

/** Asks how many slots the engine has, and waits for the answer only when no earlier start of it has told. */
export type RecallSlots = typeof askSlots

/** From ready to the question that only later starts need; what the requests ask comes first. */
const REFRESH_AFTER_MS = 200

/**
 * Remembers the slots of one definition of a model: its command is always the same, so every start has as many as the last one.
 * Where a script or another program stands behind the command it can change nevertheless, so each start is asked for
 * the next one.
 */
export const createSlotMemory = (): RecallSlots => {
  let known: number | undefined
  const learn = async (target: EngineTarget, signal?: AbortSignal): Promise<number | undefined> => {
    const slots = await askSlots(target, signal)
    known = slots ?? known
    return slots
  }
  return async (target, signal) => {
    if (known === undefined) return learn(target, signal)
    setTimeout(() => {
      if (signal?.aborted !== true) void learn(target, signal)
    }, REFRESH_AFTER_MS).unref()
    return known
  }
}
