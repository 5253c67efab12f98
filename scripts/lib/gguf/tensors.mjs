// The weights of a llama-architecture model with random numbers that still speaks printable text: the first dimension
// of every token's embedding is a constant, the layers add little to it, and so the first column of the output weights
// acts as a bias that keeps control, byte and unknown tokens from ever being sampled.

import { endOfText, isPrintable } from './vocabulary.mjs'

const constant = 8
const never = -8

/** Name, dimensions, format and values of every tensor, in the file's order. `valueAt` is asked once per number, in order. */
export function listTensors({ layers, dim, heads, kvHeads, ff, type, eosBias }, vocabulary, random) {
  const kvDim = (dim / heads) * kvHeads
  const one = (name) => ({ name, dims: [dim], format: 'f32', valueAt: () => 1 })
  const small = (name, columns, rows) => {
    const scale = 0.5 / Math.sqrt(columns)
    return { name, dims: [columns, rows], format: type, valueAt: () => random() * scale }
  }
  const layer = (index) => [
    one(`blk.${index}.attn_norm.weight`),
    small(`blk.${index}.attn_q.weight`, dim, dim),
    small(`blk.${index}.attn_k.weight`, dim, kvDim),
    small(`blk.${index}.attn_v.weight`, dim, kvDim),
    small(`blk.${index}.attn_output.weight`, dim, dim),
    one(`blk.${index}.ffn_norm.weight`),
    small(`blk.${index}.ffn_gate.weight`, dim, ff),
    small(`blk.${index}.ffn_up.weight`, dim, ff),
    small(`blk.${index}.ffn_down.weight`, ff, dim),
  ]
  const outputScale = 4.5 / Math.sqrt(dim)
  const bias = (token) => {
    if (token === endOfText) return eosBias
    return isPrintable(vocabulary[token]) ? 0 : never
  }
  return [
    {
      name: 'token_embd.weight',
      dims: [dim, vocabulary.length],
      format: type,
      valueAt: (index) => (index % dim === 0 ? constant : random() * 2),
    },
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
    one('output_norm.weight'),
    {
      name: 'output.weight',
      dims: [dim, vocabulary.length],
      // Eight bits would round the bias together with the numbers beside it.
      format: type === 'q8_0' ? 'f16' : type,
      valueAt: (index) => (index % dim === 0 ? bias(Math.floor(index / dim)) : random() * outputScale),
    },
  ]
}

/** Evenly between -0.5 and 0.5, the same sequence for the same seed (xorshift). */
export function randomNumbers(seed) {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296 - 0.5
  }
}
