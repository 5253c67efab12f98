import type { GgufHeader } from '../gguf/header.ts'

/** What of a model's header its memory depends on. */
export interface ModelShape {
  readonly layers: number
  /** Elements that one token takes in the cache, all layers together: of keys and of values. */
  readonly keyElements: number
  readonly valueElements: number
  /** Tokens that it was made for. */
  readonly context: number
  readonly vocabulary: number
}

/** Undefined: it does not tell enough. */
export const shapeOf = ({ architecture, values }: GgufHeader): ModelShape | undefined => {
  const number = (key: string): number | undefined => {
    const value = values.get(`${architecture ?? ''}.${key}`)
    return typeof value === 'number' ? value : undefined
  }
  const [layers, width, context] = [number('block_count'), number('embedding_length'), number('context_length')]
  if (layers === undefined || width === undefined || context === undefined) return undefined
  const heads = largest(values.get(`${architecture ?? ''}.attention.head_count`))
  if (heads === undefined || heads === 0) return undefined
  const shared = values.get(`${architecture ?? ''}.attention.head_count_kv`) ?? heads
  // A layer that pays no attention has none, and no cache
  const headsInAll = Array.isArray(shared)
    ? shared.reduce((sum: number, each: number) => sum + each, 0)
    : typeof shared === 'number'
      ? shared * layers
      : heads * layers
  const latent = number('attention.kv_lora_rank')
  const tokens = values.get('tokenizer.ggml.tokens')
  const told = typeof tokens === 'object' && 'count' in tokens ? tokens.count : undefined
  const shape = { layers, context, vocabulary: number('vocab_size') ?? told ?? 0 }
  if (latent !== undefined) {
    // What keys and values are made of is kept once, with the part that turns with the position
    return { ...shape, keyElements: layers * (latent + (number('rope.dimension_count') ?? 0)), valueElements: 0 }
  }
  return {
    ...shape,
    keyElements: headsInAll * (number('attention.key_length') ?? width / heads),
    valueElements: headsInAll * (number('attention.value_length') ?? width / heads),
  }
}

const largest = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return Array.isArray(value) ? Math.max(...value.map(Number)) : undefined
}
