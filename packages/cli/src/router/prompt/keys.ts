import type { ModelConfig } from '@lswap/core'
import type { ScannerOptions } from '../model-name.ts'

/**
 * The members of a body that its prompt is made of, in the order in which chat templates and engines render them, with OpenAI's,
 * Anthropic's and llama-server's names. The bytes of a name keep tools apart from messages that read alike.
 */
export const PROMPT_KEYS: readonly { readonly key: string; readonly name: Uint8Array }[] = [
  'tools',
  'functions',
  'system',
  'instructions',
  'input_extra',
  'input_prefix',
  'messages',
  'input',
  'prompt',
].map((key) => ({ key, name: Buffer.from(`${key}:`) }))

/** Where these lie is noted, too. */
export const withPromptKeys = (scanning: ScannerOptions): ScannerOptions => ({
  ...scanning,
  filteredKeys: new Set([...scanning.filteredKeys, ...PROMPT_KEYS.map(({ key }) => key)]),
})

/** Reads the whole object for models whose prompts matter: the tools may stand behind the messages, and both behind the model. */
export const scanningForPrompts = (
  scanning: ScannerOptions,
  readsPrompt: (model: ModelConfig) => boolean,
  find: (name: string) => ModelConfig | undefined,
): ScannerOptions => ({
  ...scanning,
  needsAll: (name) => {
    const model = find(name)
    return scanning.needsAll(name) || (model !== undefined && readsPrompt(model))
  },
})
