import { BLOCK_ENDS, type PrefixChain } from '../../pick/prefix/chain.ts'

/** What a request of a simulation gives its engine to read: a system prompt that many share, then all of its conversation so far. */
export interface Prompt {
  readonly system: number
  readonly systemTokens: number
  readonly conversation: number
  /** Altogether. */
  readonly tokens: number
}

/** What two prompts have in common from their start, in tokens. */
export const commonTokens = (one: Prompt, other: Prompt): number => {
  if (one.conversation === other.conversation) return Math.min(one.tokens, other.tokens)
  return one.system === other.system ? Math.min(one.systemTokens, other.systemTokens) : 0
}

/** As English and JSON have it, about. */
const BYTES_A_TOKEN = 4

const named = (kind: number, name: number, block: number): number =>
  Math.imul(Math.imul(Math.imul(kind, 0x9e3779b1) ^ name, 0x85ebca6b) ^ block, 0xc2b2ae35)

/** What a router would hash it to: blocks of the system prompt, then of the conversation. */
export const chainOfPrompt = ({ system, systemTokens, conversation, tokens }: Prompt): PrefixChain => {
  const chain: number[] = []
  for (const [block, end] of BLOCK_ENDS.entries()) {
    if (end > tokens * BYTES_A_TOKEN) break
    chain.push(end <= systemTokens * BYTES_A_TOKEN ? named(1, system, block) : named(2, conversation, block))
  }
  return chain
}
