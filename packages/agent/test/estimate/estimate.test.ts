import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gguf, scratch, type GgufValue } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { estimateBytes } from '../../src/estimate/estimate.ts'

const SIZE = 100_000

/** 2 layers, 4 heads of 8 of which keys and values have 2, 100 tokens of context, a vocabulary of 3. */
const SHAPE: Readonly<Record<string, GgufValue>> = {
  'llama.block_count': 2,
  'llama.embedding_length': 32,
  'llama.context_length': 100,
  'llama.attention.head_count': 4,
  'llama.attention.head_count_kv': 2,
  'tokenizer.ggml.tokens': ['a', 'b', 'c'],
}

/** Of one token: both layers' keys, or values, in elements. */
const ELEMENTS = 2 * 2 * 8
/** The odds of a batch of 512. */
const ODDS = 512 * 3 * 4

/** A file of SIZE bytes in all. */
const sized = (keys: Readonly<Record<string, GgufValue>>): Buffer => gguf(keys, SIZE - gguf(keys).length)

const rig = async (t: Test, files: Readonly<Record<string, Buffer>> = { 'm.gguf': sized(SHAPE) }) => {
  const dir = scratch(t, {})
  await Promise.all(Object.entries(files).map(([name, bytes]) => writeFile(join(dir, name), bytes)))
  return async (args: string, onDevices = true, env: Record<string, string> = {}) =>
    estimateBytes({ cmd: `llama-server ${args.replaceAll('$', `${dir}/`)}`, env }, { onDevices })
}

t.test('the file, the cache of the context, and the odds of a batch', async (t) => {
  const estimate = await rig(t)
  t.equal(await estimate('-m $m.gguf -c 50'), SIZE + 50 * ELEMENTS * 2 * 2 + ODDS)
  t.equal(await estimate('--model=$m.gguf'), SIZE + 100 * ELEMENTS * 2 * 2 + ODDS, 'as the model was made for')
  t.equal(await estimate('-m $m.gguf -c 0'), SIZE + 100 * ELEMENTS * 2 * 2 + ODDS)
  t.equal(await estimate('-m $m.gguf', true, { LLAMA_ARG_CTX_SIZE: '10' }), SIZE + 10 * ELEMENTS * 2 * 2 + ODDS)
  t.equal(
    await estimate('-m $m.gguf -c 64 -ctk q8_0 -ctv f32 -ub 1'),
    SIZE + 64 * ELEMENTS * (34 / 32 + 4) + 12,
    'with other types',
  )
})

t.test('parts, projectors, drafts and adapters count too', async (t) => {
  const estimate = await rig(t, {
    'm-00001-of-00002.gguf': sized(SHAPE),
    'm-00002-of-00002.gguf': Buffer.alloc(500),
    'p.gguf': Buffer.alloc(70),
    'd.gguf': Buffer.alloc(8),
  })
  const beside = '--mmproj $p.gguf -md $d.gguf'
  t.equal(await estimate(`-m $m-00001-of-00002.gguf -c 1 ${beside}`), SIZE + 578 + ELEMENTS * 2 * 2 + ODDS)
})

t.test('layers that stay out of a device do not count there, and on the machine they do', async (t) => {
  const estimate = await rig(t)
  const all = SIZE + 50 * ELEMENTS * 2 * 2 + ODDS
  t.equal(await estimate('-m $m.gguf -c 50 -ngl 0'), 0)
  t.equal(await estimate('-m $m.gguf -c 50 -ngl 1'), Math.round(all / 3))
  t.equal(await estimate('-m $m.gguf -c 50 -ngl 99'), all)
  t.equal(await estimate('-m $m.gguf -c 50 -ngl 0', false), all)
})

t.test('heads that differ between layers, and what keeps only where both come from', async (t) => {
  const estimate = await rig(t, {
    'mixed.gguf': sized({ ...SHAPE, 'llama.attention.head_count_kv': [3, 0] }),
    'latent.gguf': sized({ ...SHAPE, 'llama.attention.kv_lora_rank': 16, 'llama.rope.dimension_count': 4 }),
    'bare.gguf': sized({}),
  })
  t.equal(await estimate('-m $mixed.gguf -c 10'), SIZE + 10 * 3 * 8 * 2 * 2 + ODDS)
  t.equal(await estimate('-m $latent.gguf -c 10'), SIZE + 10 * 2 * (16 + 4) * 2 + ODDS)
  t.equal(await estimate('-m $bare.gguf -c 10'), SIZE, 'one that tells nothing counts as its file')
})

t.test('where nobody can tell there is no estimate', async (t) => {
  const estimate = await rig(t)
  t.equal(await estimate('-m $none.gguf'), undefined)
  t.equal(await estimate('-hf org/model'), undefined)
  t.equal(await estimate('-m module'), undefined)
  t.equal(await estimate('"unclosed'), undefined)
})
