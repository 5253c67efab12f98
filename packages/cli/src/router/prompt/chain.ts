import { ChainHasher, type ModelConfig, type PrefixChain, type Request } from '@lswap/core'
import { changesOf } from '../filter/filters.ts'
import type { InferenceRoute } from '../inference-route.ts'
import type { FoundModel } from '../model-name.ts'
import { PROMPT_KEYS } from './keys.ts'

export interface Prompt {
  readonly model: ModelConfig
  readonly found: FoundModel
  /** The name that the model was called by. */
  readonly calledAs: string
  /** The body from its first byte on, as far as memory holds it. */
  readonly held: readonly Uint8Array[]
}

/** The request, with how its prompt begins if that is told. Only what generates text reads a prompt that its engine keeps. */
export const withPrefix = (request: Request, prompt: Prompt & { readonly route: InferenceRoute }): Request => {
  if (prompt.route.streams === undefined || !request.takesSlot) return request
  const prefix = chainOf(prompt, request.adapter)
  return prefix.length === 0 ? request : { ...request, prefix }
}

/**
 * Of the prompt that the engine gets: the text of those members of the body that it consists of, as the client wrote it and the filters
 * change it, in the order in which it is rendered, whichever they have in the body. What one adapter computes is of no use to another.
 */
const chainOf = ({ model, found, calledAs, held }: Prompt, adapter = ''): PrefixChain => {
  const { sets, stripped } = changesOf(model.filters, calledAs)
  const hasher = new ChainHasher(adapter)
  for (const { key, name } of PROMPT_KEYS) {
    if (hasher.isFull()) break
    const json = sets.get(key)
    const member =
      json === undefined && !stripped.has(key) ? found.members.findLast((one) => one.key === key) : undefined
    if (json === undefined && member === undefined) continue
    hasher.push(name)
    if (json !== undefined) hasher.push(Buffer.from(json))
    if (member !== undefined) pushFrom(held, hasher, { start: member.value, end: member.end })
  }
  return hasher.chain()
}

const pushFrom = (
  held: readonly Uint8Array[],
  hasher: ChainHasher,
  { start, end }: { readonly start: number; readonly end: number },
): void => {
  let offset = 0
  for (const chunk of held) {
    if (offset >= end || hasher.isFull()) return
    const from = Math.max(0, start - offset)
    const to = Math.min(chunk.length, end - offset)
    if (from < to) hasher.push(chunk.subarray(from, to))
    offset += chunk.length
  }
}
