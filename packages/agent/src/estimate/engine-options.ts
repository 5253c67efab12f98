import { splitCommand } from '@lswap/core'

/** What a llama-server's command says about its memory. */
export interface EngineOptions {
  /** Its model, or the first part of it. */
  readonly model: string
  /** Everything else that it loads beside the model. */
  readonly beside: readonly string[]
  /** Tokens of context; undefined: as many as the model was made for. */
  readonly context: number | undefined
  /** Bytes of an element of the cache for keys and for values. */
  readonly keyBytes: number
  readonly valueBytes: number
  /** Tokens that are computed at once. */
  readonly batch: number
  /** Layers on a device; undefined: all. */
  readonly layers: number | undefined
}

/** Elements of a cache in blocks of 32, with a scale of two bytes, or two of them. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q4_0: 18 / 32,
  iq4_nl: 18 / 32,
  q4_1: 20 / 32,
  q5_0: 22 / 32,
  q5_1: 24 / 32,
}

const DEFAULT_BATCH = 512

const LOADED_TOO = ['-mm', '--mmproj', '-md', '--model-draft', '--spec-draft-model', '--lora', '--control-vector']

/** A command that can not be read is told where it is to be started. */
const wordsOf = (cmd: string): readonly string[] => {
  try {
    return splitCommand(cmd)
  } catch {
    return []
  }
}

/** The values of an option by its names, the last one last. */
const valuesOf = (words: readonly string[], names: readonly string[]): readonly string[] =>
  words.flatMap((word, at) => {
    if (names.includes(word)) return words[at + 1] ?? []
    const name = names.find((each) => each.startsWith('--') && word.startsWith(`${each}=`))
    return name === undefined ? [] : word.slice(name.length + 1)
  })

const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** Undefined: the command names no file of a model. `env`: what the engine is given beside. */
export const readEngineOptions = (
  cmd: string,
  env: Readonly<Record<string, string>> = {},
): EngineOptions | undefined => {
  const words = wordsOf(cmd)
  const last = (names: readonly string[], variable?: string): string | undefined =>
    valuesOf(words, names).at(-1) ?? (variable === undefined ? undefined : env[variable])
  const model = last(['-m', '--model'], 'LLAMA_ARG_MODEL')
  if (model === undefined || !/\.gguf$/i.test(model)) return undefined
  const context = countOf(last(['-c', '--ctx-size'], 'LLAMA_ARG_CTX_SIZE'))
  const bytesOf = (names: readonly string[], variable: string): number => {
    const type = last(names, variable) ?? 'f16'
    return ELEMENT_BYTES[type] ?? ELEMENT_BYTES['f16'] ?? 2
  }
  return {
    model,
    beside: valuesOf(words, LOADED_TOO),
    context: context === 0 ? undefined : context,
    keyBytes: bytesOf(['-ctk', '--cache-type-k'], 'LLAMA_ARG_CACHE_TYPE_K'),
    valueBytes: bytesOf(['-ctv', '--cache-type-v'], 'LLAMA_ARG_CACHE_TYPE_V'),
    batch: countOf(last(['-ub', '--ubatch-size'], 'LLAMA_ARG_UBATCH')) ?? DEFAULT_BATCH,
    layers: countOf(last(['-ngl', '--gpu-layers', '--n-gpu-layers'], 'LLAMA_ARG_N_GPU_LAYERS')),
  }
}
