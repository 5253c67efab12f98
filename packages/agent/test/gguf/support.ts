export type Value = string | number | readonly number[] | readonly string[]

const UINT32 = 4
const STRING = 8
const ARRAY = 9

const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const text = (value: string): Buffer => Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)])

const encoded = (value: Value): Buffer => {
  if (typeof value === 'number') return Buffer.concat([int(UINT32), int(value)])
  if (typeof value === 'string') return Buffer.concat([int(STRING), text(value)])
  const kind = typeof value[0] === 'number' ? UINT32 : STRING
  const items = value.map((each) => (typeof each === 'number' ? int(each) : text(each)))
  return Buffer.concat([int(ARRAY), int(kind), long(value.length), ...items])
}

/** A GGUF file with these keys in this order, of so many bytes in all. */
export const gguf = (keys: Readonly<Record<string, Value>>, length = 0): Buffer => {
  const pairs = Object.entries({ 'general.architecture': 'llama', ...keys })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    int(3),
    long(0),
    long(pairs.length),
    ...pairs.flatMap(([key, value]) => [text(key), encoded(value)]),
  ])
  return Buffer.concat([head, Buffer.alloc(Math.max(0, length - head.length))])
}
