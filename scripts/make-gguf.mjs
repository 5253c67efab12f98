#!/usr/bin/env node
// Writes a small model with random weights that llama-server loads and serves: it talks gibberish, always printable and
// as long as it may. The same options give the same bytes. Raise `edition` when they no longer do: caches of made models
// are keyed by this file.

import { parseArgs } from 'node:util'
import { formats } from './lib/gguf/number-formats.mjs'
import { writeAdapter, writeModel } from './lib/gguf/model-file.mjs'

const edition = 1

const usage = `usage: make-gguf.mjs OUT.gguf [options]
  --layers 2      blocks                     --type f32     f32, f16 or q8_0
  --dim 64        embedding length           --seed 1       another seed, another model
  --heads 4       attention heads            --pieces 200   words in the vocabulary
  --kv-heads 2    heads of keys and values   --name tiny    general.name
  --ff 128        feed-forward length        --eos-bias -8  0: answers may end by themselves
  --ctx 4096      context length             --no-template  no chat template
  --lora 0        more than 0: a LoRA of this rank for a model of this shape, in place of the model
  --dim 1024 --layers 8 --heads 16 --kv-heads 4 --ff 4096 gives half a gigabyte.`

const defaults = {
  layers: 2,
  dim: 64,
  heads: 4,
  'kv-heads': 2,
  ff: 128,
  ctx: 4096,
  type: 'f32',
  seed: 1,
  pieces: 200,
  name: 'tiny',
  'eos-bias': -8,
  lora: 0,
}

function readCommandLine(args) {
  const texts = Object.keys(defaults).map((name) => [name, { type: 'string' }])
  const options = { ...Object.fromEntries(texts), 'no-template': { type: 'boolean' } }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const given = Object.entries(defaults).map(([name, fallback]) => [name, valueOf(name, values[name], fallback)])
  const { 'kv-heads': kvHeads, 'eos-bias': eosBias, lora: rank, ...shape } = Object.fromEntries(given)
  if (positionals.length !== 1) throw new Error('name one file to write')
  return {
    out: positionals[0],
    shape: { ...shape, kvHeads, eosBias, template: !values['no-template'], ...(rank > 0 && { rank }) },
  }
}

function valueOf(name, given, fallback) {
  if (given === undefined) return fallback
  if (typeof fallback === 'string') return given
  const number = Number(given)
  if (!Number.isFinite(number)) throw new Error(`--${name} ${given}: not a number`)
  return number
}

function check({ dim, heads, kvHeads, type }) {
  if (!Object.hasOwn(formats, type)) throw new Error(`--type ${type}: one of ${Object.keys(formats).join(', ')}`)
  if (dim % heads !== 0 || (dim / heads) % 2 !== 0) throw new Error('--dim: an even multiple of --heads')
  if (heads % kvHeads !== 0) throw new Error('--heads: a multiple of --kv-heads')
}

try {
  const { out, shape } = readCommandLine(process.argv.slice(2))
  check(shape)
  console.log(JSON.stringify({ edition, ...(await (shape.rank ? writeAdapter : writeModel)(out, shape)) }))
} catch (error) {
  console.error(`make-gguf: ${error.message}\n${usage}`)
  process.exitCode = 2
}
