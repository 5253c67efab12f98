import t from 'tap'
import { isProjectorName, readModelName } from '../../src/discover/model-name.ts'

const NAMES: readonly (readonly [file: string, base: string, quant: string])[] = [
  ['Qwen3-30B-A3B-Instruct-2507-UD-Q4_K_XL.gguf', 'Qwen3-30B-A3B-Instruct-2507', 'UD-Q4_K_XL'],
  ['Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf', 'Meta-Llama-3.1-8B-Instruct', 'Q4_K_M'],
  ['mistral-7b-instruct-v0.2.Q5_0.gguf', 'mistral-7b-instruct-v0.2', 'Q5_0'],
  ['gemma-3-4b-it-q8_0.gguf', 'gemma-3-4b-it', 'Q8_0'],
  ['Mixtral.i1-IQ2_XXS.gguf', 'Mixtral', 'I1-IQ2_XXS'],
  ['phi-4-IQ4_NL.GGUF', 'phi-4', 'IQ4_NL'],
  ['gpt-oss-20b-mxfp4.gguf', 'gpt-oss-20b', 'MXFP4'],
  ['Llama-3.2-1B-BF16.gguf', 'Llama-3.2-1B', 'BF16'],
  ['nomic-embed-text-v1.5.f16.gguf', 'nomic-embed-text-v1.5', 'F16'],
  ['model-Q4_0_4_8.gguf', 'model', 'Q4_0_4_8'],
  ['thing-GGUF-Q6_K.gguf', 'thing', 'Q6_K'],
  ['tinyllama.gguf', 'tinyllama', ''],
  ['Q4_K_M.gguf', 'Q4_K_M', ''],
  ['qwen2.5-coder-7b.gguf', 'qwen2.5-coder-7b', ''],
  ['deepseek-r1-Q8_0-00001-of-00004.gguf', 'deepseek-r1', 'Q8_0'],
  ['ggml-org_gemma-3-1b-it-GGUF_gemma-3-1b-it-Q4_K_M.gguf', 'gemma-3-1b-it', 'Q4_K_M'],
]

t.test('a name loses quantisation, part and what caches put before it, and nothing else', async (t) => {
  for (const [file, base, quant] of NAMES) t.match(readModelName(file), { base, quant }, file)
  t.match(readModelName('a-00002-of-00004.gguf'), { part: 2, parts: 4 })
  t.equal(readModelName('ggml-org_gemma-3-1b-it-GGUF_x.gguf').prefix, 'ggml-org_gemma-3-1b-it-GGUF_')
})

t.test('projectors are known by their name', async (t) => {
  t.ok(['mmproj-model-f16.gguf', 'Qwen2-VL-mmproj-f16.gguf', 'mmproj.gguf', 'x_mmproj_y.gguf'].every(isProjectorName))
  t.notOk(['summproject.gguf', 'model.gguf'].some(isProjectorName))
})
