// How the numbers of a tensor are stored. `id` is ggml's number of the format, `fileType` that of a whole file in it.

const blockSize = 32

export const formats = {
  f32: { id: 0, fileType: 0, block: 1, blockBytes: 4, encode: encodeF32 },
  f16: { id: 1, fileType: 1, block: 1, blockBytes: 2, encode: encodeF16 },
  q8_0: { id: 8, fileType: 7, block: blockSize, blockBytes: 2 + blockSize, encode: encodeQ8 },
}

function encodeF32(bytes, count, valueAt) {
  for (let index = 0; index < count; index += 1) bytes.writeFloatLE(valueAt(index), index * 4)
}

function encodeF16(bytes, count, valueAt) {
  for (let index = 0; index < count; index += 1) bytes.writeUInt16LE(half(valueAt(index)), index * 2)
}

/** Blocks of 32 numbers: one scale in half precision, then 32 bytes that count in it. */
function encodeQ8(bytes, count, valueAt) {
  for (let block = 0; block < count / blockSize; block += 1) {
    const values = Array.from({ length: blockSize }, (_, index) => valueAt(block * blockSize + index))
    const scale = Math.max(...values.map(Math.abs)) / 127
    const at = block * (2 + blockSize)
    bytes.writeUInt16LE(half(scale), at)
    for (const [index, value] of values.entries()) {
      const steps = scale === 0 ? 0 : Math.round(value / scale)
      bytes.writeInt8(Math.max(-127, Math.min(127, steps)), at + 2 + index)
    }
  }
}

const single = new Float32Array(1)
const bits = new Uint32Array(single.buffer)

/** The bits of a number in half precision; too small becomes 0, too large the largest. */
function half(value) {
  single[0] = value
  const sign = (bits[0] >>> 16) & 0x80_00
  const exponent = ((bits[0] >>> 23) & 0xff) - 112
  if (exponent <= 0) return sign
  if (exponent > 30) return sign | 0x7b_ff
  return sign | (exponent << 10) | ((bits[0] >>> 13) & 0x3_ff)
}
