import { open } from 'node:fs/promises'
import { alignment, entry, padded, string, u32, u64 } from './bytes.mjs'
import { formats } from './number-formats.mjs'
import { listAdapterTensors } from './adapter-tensors.mjs'
import { listTensors, randomNumbers } from './tensors.mjs'
import { makeVocabulary } from './vocabulary.mjs'

const chatTemplate =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

/** Writes a GGUF file (version 3) of this shape and resolves with what it made. */
export async function writeModel(path, shape) {
  const vocabulary = makeVocabulary(shape.pieces)
  const tensors = listTensors(shape, vocabulary, randomNumbers(shape.seed))
  const bytes = await writeGguf(path, metadata(shape, vocabulary), tensors)
  return { path, bytes, vocabulary: vocabulary.length, ...shape }
}

/** Writes a LoRA for models of this shape. */
export async function writeAdapter(path, shape) {
  const entries = [
    entry('general.architecture', 'string', 'llama'),
    entry('general.name', 'string', shape.name),
    entry('general.type', 'string', 'adapter'),
    entry('adapter.type', 'string', 'lora'),
    entry('adapter.lora.alpha', 'f32', shape.rank),
    entry('general.alignment', 'u32', alignment),
  ]
  const bytes = await writeGguf(path, entries, listAdapterTensors(shape, randomNumbers(shape.seed)))
  return { path, bytes, ...shape }
}

async function writeGguf(path, entries, tensors) {
  const head = fileHead(entries, tensors)
  const file = await open(path, 'w')
  try {
    await file.writeFile(head)
    for (const tensor of tensors) await file.writeFile(encode(tensor))
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

function metadata({ name, type, ctx, dim, layers, ff, heads, kvHeads, template }, vocabulary) {
  return [
    entry('general.architecture', 'string', 'llama'),
    entry('general.name', 'string', name),
    entry('general.type', 'string', 'model'),
    entry('general.file_type', 'u32', formats[type].fileType),
    entry('general.alignment', 'u32', alignment),
    entry('general.quantization_version', 'u32', 2),
    entry('llama.context_length', 'u32', ctx),
    entry('llama.embedding_length', 'u32', dim),
    entry('llama.block_count', 'u32', layers),
    entry('llama.feed_forward_length', 'u32', ff),
    entry('llama.attention.head_count', 'u32', heads),
    entry('llama.attention.head_count_kv', 'u32', kvHeads),
    entry('llama.attention.layer_norm_rms_epsilon', 'f32', 1e-5),
    entry('llama.rope.dimension_count', 'u32', dim / heads),
    entry('llama.rope.freq_base', 'f32', 10_000),
    entry('llama.vocab_size', 'u32', vocabulary.length),
    entry('tokenizer.ggml.model', 'string', 'llama'),
    entry('tokenizer.ggml.pre', 'string', 'default'),
    entry(
      'tokenizer.ggml.tokens',
      ['string'],
      vocabulary.map((token) => token.text),
    ),
    entry(
      'tokenizer.ggml.scores',
      ['f32'],
      vocabulary.map((token) => token.score),
    ),
    entry(
      'tokenizer.ggml.token_type',
      ['i32'],
      vocabulary.map((token) => token.type),
    ),
    entry('tokenizer.ggml.bos_token_id', 'u32', 1),
    entry('tokenizer.ggml.eos_token_id', 'u32', 2),
    entry('tokenizer.ggml.unknown_token_id', 'u32', 0),
    entry('tokenizer.ggml.add_bos_token', 'bool', true),
    entry('tokenizer.ggml.add_eos_token', 'bool', false),
    entry('tokenizer.ggml.add_space_prefix', 'bool', true),
    ...(template ? [entry('tokenizer.chat_template', 'string', chatTemplate)] : []),
  ]
}

function fileHead(entries, tensors) {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length), ...entries]
  let offset = 0
  for (const tensor of tensors) {
    const { name, dims, format } = tensor
    parts.push(string(name), u32(dims.length), ...dims.map(u64), u32(formats[format].id), u64(offset))
    offset += padded(bytesOf(tensor))
  }
  const head = Buffer.concat(parts)
  return Buffer.concat([head], padded(head.length))
}

function encode(tensor) {
  const bytes = Buffer.alloc(padded(bytesOf(tensor)))
  formats[tensor.format].encode(bytes, countOf(tensor), tensor.valueAt)
  return bytes
}

const countOf = ({ dims }) => dims.reduce((product, size) => product * size, 1)

function bytesOf(tensor) {
  const { block, blockBytes } = formats[tensor.format]
  if (tensor.dims[0] % block !== 0) throw new Error(`${tensor.name}: ${tensor.dims[0]} is no multiple of ${block}`)
  return (countOf(tensor) / block) * blockBytes
}
