// The binary form of a GGUF file's head: everything little end first, strings with their length in 8 bytes.

const valueType = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 }

/** Data begins at a multiple of this, and so does every tensor. */
export const alignment = 32

export const padded = (bytes) => Math.ceil(bytes / alignment) * alignment

export function u32(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export function u64(value) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

export function string(text) {
  const bytes = Buffer.from(text)
  return Buffer.concat([u64(bytes.length), bytes])
}

const encoders = {
  u32,
  i32: u32,
  string,
  bool: (value) => Buffer.from([value ? 1 : 0]),
  f32(value) {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    return bytes
  },
}

/** One entry of the metadata, as `entry('llama.block_count', 'u32', 2)`; an array's type is written `['f32']`. */
export function entry(key, type, value) {
  if (!Array.isArray(type)) return Buffer.concat([string(key), u32(valueType[type]), encoders[type](value)])
  const [item] = type
  const head = [string(key), u32(valueType.array), u32(valueType[item]), u64(value.length)]
  return Buffer.concat([...head, ...value.map((element) => encoders[item](element))])
}
