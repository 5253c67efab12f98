import type { Failure } from '@lswap/core'
import type { ForwardHead } from '@lswap/agent'

/** What an engine answers in place of the stream whose head the client has already. */
export interface Refusal {
  add(chunk: Buffer): void
  /** As the data of an error event: the engine's own object, else an error of ours about it. */
  end(): string | Failure
}

/** Errors of engines are some hundred bytes. */
const MAX_BYTES = 64 * 1024
/** So much of what is no error object is shown. */
const SHOWN = 200

export const collectRefusal = ({ status }: Pick<ForwardHead, 'status'>): Refusal => {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    add: (chunk) => {
      const kept = chunk.subarray(0, MAX_BYTES - bytes)
      bytes += kept.length
      if (kept.length > 0) chunks.push(kept)
    },
    end: () => {
      const text = Buffer.concat(chunks).toString()
      return errorObject(text) ?? refused(status, text)
    },
  }
}

const errorObject = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const isError = typeof value === 'object' && value !== null && 'error' in value
    // On one line, as an event wants it
    return isError ? JSON.stringify(value) : undefined
  } catch {
    return undefined
  }
}

const refused = (status: number, text: string): Failure => ({
  code: 'upstream_refused',
  message: `The engine answered ${status} in place of a stream: ${text.slice(0, SHOWN).trim()}`,
})
