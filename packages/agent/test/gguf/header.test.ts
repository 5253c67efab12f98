import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gguf, scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readGgufHeader } from '../../src/gguf/index.ts'

t.test('keys behind lists are read as well, and of the vocabulary its length', async (t) => {
  const path = join(scratch(t, {}), 'm.gguf')
  const tokens = Array.from({ length: 20_000 }, (_, at) => `token ${at}`)
  await writeFile(
    path,
    gguf({
      'general.tags': ['text', 'chat'],
      'llama.block_count': 2,
      'llama.attention.head_count_kv': [4, 0],
      'tokenizer.ggml.tokens': tokens,
      'tokenizer.ggml.model': 'gpt2',
    }),
  )
  const header = await readGgufHeader(path)
  t.equal(header?.architecture, 'llama')
  t.equal(header?.values.get('llama.block_count'), 2)
  t.same(header?.values.get('llama.attention.head_count_kv'), [4, 0])
  t.same(header?.values.get('tokenizer.ggml.tokens'), { count: 20_000 })
  t.notOk(header?.values.has('tokenizer.ggml.model'), 'it lies behind what is read')
})

t.test('what is no such file, or is cut, does not break anything', async (t) => {
  const dir = scratch(t, { text: 'not a model at all, but long enough', short: 'GGUF' })
  t.equal(await readGgufHeader(join(dir, 'text')), undefined)
  t.equal(await readGgufHeader(join(dir, 'short')), undefined)
  t.equal(await readGgufHeader(join(dir, 'none')), undefined)
  const path = join(dir, 'cut')
  await writeFile(path, gguf({ 'llama.block_count': 2, 'llama.context_length': 4 }).subarray(0, 90))
  t.equal((await readGgufHeader(path))?.architecture, 'llama')
})
