import { commonTokens, type Prompt } from './trace/prompt.ts'

/** What an engine keeps of prompts: whole conversations, of which the ones that were longest unused make room for others. */
export interface PromptCache {
  /** Reads a prompt; returns how much of it, from its start, is there already. */
  read(prompt: Prompt): number
  /** So many tokens were written behind a prompt, and are kept with it. */
  write(prompt: Prompt, tokens: number): void
}

/** Bounded by tokens; a prompt that alone is longer is kept all the same, as its slot holds it. */
export const createPromptCache = (mostTokens: number): PromptCache => {
  /** By conversation, in order of use, the latest last. */
  const held = new Map<number, Prompt>()
  let total = 0

  const keep = (prompt: Prompt): void => {
    total += prompt.tokens - (held.get(prompt.conversation)?.tokens ?? 0)
    held.delete(prompt.conversation)
    held.set(prompt.conversation, prompt)
    for (const oldest of held.values()) {
      if (total <= mostTokens || oldest === prompt) return
      held.delete(oldest.conversation)
      total -= oldest.tokens
    }
  }

  return {
    read: (prompt) => {
      let found = 0
      for (const one of held.values()) found = Math.max(found, commonTokens(one, prompt))
      keep(prompt)
      return found
    },
    write: (prompt, tokens) => {
      // Meanwhile it may have gone on elsewhere in the engine, or had to make room
      if (held.get(prompt.conversation) === prompt) keep({ ...prompt, tokens: prompt.tokens + tokens })
    },
  }
}
